"""What Chinese speakers say about themselves and ask for, as patterns at the start of a clause."""

from .entries import FACT, PREFERENCE
from .rule_shapes import (
    Rule,
    compile_rule,
    read_allergens,
    read_birthday,
    read_favorite,
    read_known_allergens,
    read_plain,
    read_setting,
)
from .rule_words import CLOCKS, DIETS, LANGUAGES, LENGTHS, MEASURES, TEMPERATURE_UNITS, any_of

LASTING_WORDS = (
    r"以后|以後|今后|今後|往后|从现在(?:开始|起)|从今天?(?:开始|起|以后)?|从此|此后|将来|每次|总是|始终|一直|一律|统一"
    r"|默认|永远|长期|平时"
)
ONE_TIME_WORDS = r"这次|这一次|这回|这一回|本次|今天|今次|暂时|临时|先用|只这|就这一|下次"
HYPOTHETICAL = (
    r"如果|要是|假如|假设|假使|倘若|若是|万一|即使|就算|哪怕|的话|假装|扮演|可能|也许|或许|大概|好像|恐怕|想象|听说|据说"
    r"|是否|会不会|能不能|要不要"
)
REPORTED = r"(?<![我你])(?:说|告诉|问|写道|认为|觉得)|小说|故事|歌词|台词|角色|例如|比如|譬如|例句|模板"
TASKS_ON_TEXT = (
    r"(?:请|麻烦|帮我|帮忙|你|能|可以|把|将|下面|这句话|以下|的){0,6}(?:翻译|润色|改写|校对|总结|概括|续写|造句)"
)
TAG_QUESTIONS = r"(?:对吗|对吧|是吗|是吧|对不对|是不是|没错吧|好吗|行吗|可以吗|好不好)[?。]*"
QUESTION_WORDS = r"吗|呢[?。!]*$|什么|谁|哪[里儿个些一]?|几[个点号月天岁]|多少|多久|怎么|怎样|为何|是不是|有没有|对不对"

# Repetitions are bounded: their members overlap, and no text may make them try every division of itself.
_LEAD = (
    r"(?:你好|您好|嗨|嗯|对了|另外|还有|其实|哦|那么|那|好的|好|顺便说一下|顺便|请注意|注意|请?记住|因为|由于|但是?|而且"
    r"|不过|所以|就是|跟你说|告诉你|我说过|\s){0,6}"
)
_END = r"(?=\s*(?:[,.;:!?。、—(\ue0ff]|$))"
_REQUEST = (
    rf"(?:{LASTING_WORDS}|(?:请|請|麻烦你?|希望你?|想让你|要求你?|务必|最好)|天气预报|天气|气温|温度单位|温度|单位"
    r"|语言|时间|预报|报告|回答|回复|播报|显示|说话|聊天|交流|告诉|跟我|和我|给我|对我|时候?|的|我|你|您|还是|都|就|也|要"
    r"|能|想|再|给|把|将|又|现在|那|会|直接|只){0,12}"
)
_SWITCH = (
    r"(?P<switch>改用|改说|改成|改为|改回|换成|换为|换回|换用|切换(?:到|成|为|回)?|转为|转成|转用"
    r"|设(?:置|定)?(?:成|为))"
)
_LIKE = r"(?:更|比较|最)?(?:喜欢|喜歡|偏好|习惯|習慣|倾向于?|爱)"
_USE = r"(?:用|使用|采用|以|说|讲|按照?)"
_TAIL = (
    r"(?:来|去|报告|播报|预报|告诉|显示|回答|回复|表示|说话|说|讲|给|跟|和|与|对|我|你|天气|气温|温度|时间|的|了|吧|就好|就行"
    r"|即可|就可以|单位|作为|为|好了|哦|啊|呀|谢谢|交流|沟通|聊天|对话|问题|所有|一切|报|都|制|系统|格式|更好|方式"
    r"|进行|内容|(?:不要|而不是)[^,.;!?。、]{1,8}){0,10}" + _END
)


def _setting(key: str, words: dict[str, str], like: str = rf"{_LIKE}(?:用|说|看|使用)?") -> Rule:
    pattern = rf"{_LEAD}{_REQUEST}(?:{_SWITCH}|(?P<prefer>{like})|{_USE})(?P<value>{any_of(words)}){_TAIL}"
    return Rule(PREFERENCE, compile_rule(pattern), read_setting(key, words), request=True)


def _fact(key: str, pattern: str, confidence: float = 0.9) -> Rule:
    return Rule(FACT, compile_rule(_LEAD + pattern), read_plain(key), confidence)


_NOW = r"(?:已经|刚刚|刚|最近|现在|目前|如今|现|上个?[周月]|去年|今年|昨天|前天|一直|都|从小){0,3}"
_PLACE = r"(?!一[家个]|这|那|家里|公司|学校)(?P<value>[\u4e00-\u9fffA-Za-z][\u4e00-\u9fffA-Za-z ·]{1,15}?)"
_SELF = r"(?:我|本人|俺)"
_NO_NAME = r"(?![他她它你您我了人车过不]|外卖|滴滴|救护车|快递|服务员|出租|快车|警察|停|什么|啥)"
_NAME = rf"{_NO_NAME}(?P<value>[\u4e00-\u9fff·]{{1,6}}|[A-Za-z][A-Za-z .'-]{{0,40}}?)(?:吧|就好|就行|哦|啊)*{_END}"
_JOB = (
    r"(?P<value>[\u4e00-\u9fffA-Za-z ]{0,10}?(?:师|员|医生|护士|学生|作家|画家|司机|经理|老板|教授|警察|军人|农民|工人"
    r"|歌手|记者|博士生))"
)
_LIST = r"(?P<list>[^,.。!?;不没过很非有]{1,20}(?:,[^,.。!?;不没过很非有]{1,6})*?)"

RULES = (
    _setting("preference/temperature_unit", TEMPERATURE_UNITS),
    # Liking a language is not yet asking for it.
    _setting("preference/language", LANGUAGES, rf"{_LIKE}(?:用|说|讲)"),
    _setting("preference/measurement_system", MEASURES),
    _setting("preference/time_format", CLOCKS),
    Rule(
        PREFERENCE,
        compile_rule(
            rf"{_LEAD}{_REQUEST}(?:得|尽量|保持){{0,3}}(?:(?P<switch>改成|改为)|(?P<prefer>(?:更|比较)?喜欢|偏好))?"
            rf"(?P<value>{any_of(LENGTHS)})(?:一点儿?|一些|点儿?|些|的|地|回答|回复|答案|说明|就好|就行|吧|了)*{_END}"
        ),
        read_setting("preference/answer_length", LENGTHS),
        request=True,
    ),
    Rule(
        PREFERENCE,
        compile_rule(
            rf"{_LEAD}(?:{LASTING_WORDS}|请|你|您|可以|都|就|直接|大家都?)*(?:叫|称呼|喊)我(?:为|做|作)?{_NAME}"
        ),
        read_plain("preference/form_of_address"),
    ),
    Rule(
        PREFERENCE,
        compile_rule(
            rf"{_LEAD}我最(?:喜欢|爱|喜爱)的(?P<thing>[\u4e00-\u9fff]{{1,6}}?)(?:就?是|叫做?)(?P<value>[^,.。!?;]{{1,30}}?){_END}"
        ),
        read_favorite,
    ),
    _fact("fact/name", rf"{_SELF}(?:的(?:名字|姓名)(?:是|叫)|叫做?|名叫){_NAME}", 0.95),
    _fact("fact/residence", rf"{_SELF}{_NOW}(?:住在|居住在|定居在|定居于){_PLACE}(?:了|这边|呢)*{_END}"),
    _fact(
        "fact/residence", rf"{_SELF}{_NOW}(?:搬到|搬去|搬来|搬家到|移居到?|迁到)了?{_PLACE}(?:住|来|去|生活|了)*{_END}"
    ),
    _fact("fact/workplace", rf"{_SELF}{_NOW}在{_PLACE}(?:工作|上班|任职){_END}"),
    _fact("fact/occupation", rf"{_SELF}的(?:职业|工作)是(?:一?[名个位])?(?P<value>[^,.。!?;]{{1,20}}?){_END}"),
    _fact("fact/occupation", rf"{_SELF}{_NOW}(?:是|当|做)(?:一?[名个位])?{_JOB}{_END}", 0.85),
    Rule(FACT, compile_rule(rf"{_LEAD}{_SELF}{_NOW}(?P<over>不再|已不)对{_LIST}过敏了?{_END}"), read_allergens, 0.95),
    Rule(
        FACT,
        compile_rule(
            rf"{_LEAD}{_SELF}(?:从小|一直|真的|也|还|天生|其实)*对{_LIST}(?:严重|很|非常|特别|有点儿?|有些|都|会)*过敏"
        ),
        read_allergens,
        0.95,
    ),
    Rule(FACT, compile_rule(rf"{_LEAD}{_SELF}(?:会|有)?{_LIST}(?:严重)?过敏{_END}"), read_known_allergens, 0.9),
    Rule(
        FACT,
        compile_rule(rf"{_LEAD}{_SELF}的?生日(?:就?是|在)(?P<value>[^,.。!?;]{{3,20}})"),
        read_birthday,
        0.95,
    ),
    Rule(
        FACT,
        compile_rule(rf"{_LEAD}{_SELF}(?:是)?(?P<value>[^,.。!?;]{{3,20}}?)(?:出生|生日|生的)"),
        read_birthday,
        0.9,
    ),
    Rule(
        FACT,
        compile_rule(
            rf"{_LEAD}{_SELF}{_NOW}(?:只|是|吃|长期)+(?:一?[名个位])?(?P<value>{any_of(DIETS)})(?:的|食物|者|了)*{_END}"
        ),
        read_setting("fact/diet", DIETS),
    ),
)

_FROM_NOW_ON = r"(?:以后|以後|今后|今後|往后|从现在(?:开始|起)|从今(?:天|以后)(?:起|开始)?|每次)"
_ORDER = (
    r"(?:用|回答|回复|叫|称呼|给|写|说|讲|先|提醒|推荐|显示|报告|列出|问|发|告诉|解释|按|加上|附|保持|控制|注明|标注|使用|避免"
    r"|省略|直接)"
)

STANDING_REQUESTS = (
    compile_rule(rf"{_LEAD}{_FROM_NOW_ON},?(?:请|麻烦你?|你|您|务必|希望你|要你)\S"),
    compile_rule(rf"{_LEAD}{_FROM_NOW_ON},?(?:都|一律|每次|只|先|不要|别|不用){{0,4}}{_ORDER}"),
    compile_rule(rf"{_LEAD}(?:请|麻烦你?|希望你)(?:{_FROM_NOW_ON}|总是|始终|一直|一律|永远)\S"),
)
"""A request that is to hold from now on, whatever it asks for."""

REMEMBER = compile_rule(
    r"(?:好的|另外|还有|对了|,|\s)*(?:请|麻烦)?你?(?:要|帮我|替我)?(?:记住|记下来?|记一下)[:,\s]*\S.{2,300}"
)
"""A request to remember, whatever it is."""
