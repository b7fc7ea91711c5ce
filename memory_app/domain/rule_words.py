"""One name in any language for what people prefer and are: the values and keys of the ``rules`` extractor."""

from collections.abc import Mapping

from .claims import normalize_claim

TEMPERATURE_UNITS = {
    "celsius": "celsius centigrade °c ℃ 摄氏度 摄氏 攝氏度 攝氏",
    "fahrenheit": "fahrenheit °f ℉ 华氏度 华氏 華氏度 華氏",
    "kelvin": "kelvin 开尔文",
}
LANGUAGES = {
    "zh": "chinese mandarin 中文 汉语 普通话 国语 简体中文",
    "en": "english 英文 英语 英語",
    "fr": "french 法文 法语 法語",
    "de": "german 德文 德语 德語",
    "es": "spanish 西班牙文 西班牙语 西语",
    "it": "italian 意大利文 意大利语",
    "pt": "portuguese 葡萄牙文 葡萄牙语 葡语",
    "ru": "russian 俄文 俄语",
    "ja": "japanese 日文 日语 日語",
    "ko": "korean 韩文 韩语 韓語",
    "ar": "arabic 阿拉伯文 阿拉伯语",
    "hi": "hindi 印地语",
    "vi": "vietnamese 越南语",
    "th": "thai 泰语",
    "nl": "dutch 荷兰语",
    "pl": "polish 波兰语",
    "tr": "turkish 土耳其语",
    "yue": "cantonese 粤语 广东话",
}
MEASURES = {"metric": "metric 公制 米制", "imperial": "imperial 英制"}
CLOCKS = {"24h": "24-hour 24小时制 二十四小时制", "12h": "12-hour 12小时制 十二小时制"}
LENGTHS = {
    "short": "short shorter brief briefly concise concisely succinct 简短 简洁 简明 精简 短",
    "detailed": "detailed long longer thorough verbose 详细 详尽 具体 长",
}
DIETS = {
    "vegan": "vegan 纯素 全素 纯素食者 纯素食主义者",
    "vegetarian": "vegetarian 素食者 素食主义者 素食 素",
    "pescatarian": "pescatarian 鱼素",
    "halal": "halal 清真",
    "kosher": "kosher 犹太洁食",
}
ALLERGENS = {
    "peanut": "peanut peanuts 花生 花生米",
    "nut": "nut nuts 坚果",
    "tree_nut": "tree_nut tree_nuts 树坚果",
    "almond": "almond almonds 杏仁",
    "cashew": "cashew cashews 腰果",
    "walnut": "walnut walnuts 核桃",
    "sesame": "sesame 芝麻",
    "milk": "milk dairy 牛奶 奶制品 乳制品 奶",
    "lactose": "lactose 乳糖",
    "egg": "egg eggs 鸡蛋 蛋",
    "wheat": "wheat 小麦",
    "gluten": "gluten 麸质",
    "soy": "soy soya soybean soybeans 大豆 黄豆",
    "seafood": "seafood 海鲜",
    "shellfish": "shellfish 贝类 甲壳类",
    "shrimp": "shrimp shrimps prawn prawns 虾 虾子",
    "crab": "crab crabs 螃蟹 蟹",
    "fish": "fish 鱼",
    "mango": "mango mangoes mangos 芒果",
    "strawberry": "strawberry strawberries 草莓",
    "pollen": "pollen 花粉",
    "dust": "dust dust_mites 灰尘 尘螨 粉尘",
    "cat": "cat cats cat_hair 猫 猫毛",
    "dog": "dog dogs dog_hair 狗 狗毛",
    "alcohol": "alcohol 酒精 酒",
    "penicillin": "penicillin 青霉素",
    "aspirin": "aspirin 阿司匹林",
    "latex": "latex 乳胶",
}
THINGS = {
    "color": "color colour 颜色",
    "food": "food 食物 吃的",
    "dish": "dish 菜",
    "cuisine": "cuisine 菜系",
    "fruit": "fruit 水果",
    "drink": "drink beverage 饮料",
    "movie": "movie film 电影",
    "book": "book 书 书籍",
    "author": "author writer 作家 作者",
    "music": "music 音乐",
    "song": "song 歌 歌曲",
    "singer": "singer 歌手",
    "band": "band 乐队",
    "sport": "sport 运动",
    "season": "season 季节",
    "animal": "animal 动物",
    "city": "city 城市",
    "game": "game 游戏",
    "subject": "subject 科目",
    "number": "number 数字",
}


def canonical(words: Mapping[str, str], text: str) -> str | None:
    """The one name of what a text means, or None."""
    spelled = "_".join(text.casefold().split()).strip("的")
    return next((name for name, spellings in words.items() if spelled in spellings.split()), None)


def canonical_or_own(words: Mapping[str, str], text: str) -> str:
    """As :func:`canonical`; what the table does not know is named by its own words."""
    return canonical(words, text) or normalize_claim(text).replace(" ", "_").replace("/", "_")[:64]


def any_of(words: Mapping[str, str]) -> str:
    """A pattern that matches any spelling in the table, the longest first."""
    spellings = {spelling.replace("_", " ") for line in words.values() for spelling in line.split()}
    # Latin spellings end where the word ends; Chinese writes on without a space.
    return "(?:" + "|".join(_pattern(word) for word in sorted(spellings, key=lambda word: (-len(word), word))) + ")"


def _pattern(word: str) -> str:
    return word.replace("-", "[- ]?").replace(" ", r"\s+") + (r"\b" if word[-1].isascii() else "")
