"""English word tables of the tokenizer: common words that carry no topic, and forms that no stemmer can undo.

A change here changes the index: raise ``TOKENIZER_VERSION``.
"""

_COMMON = """
    a an the this that these those
    i me my mine myself we us our ours you your yours yourself he him his she her hers it its they them their theirs
    am is are was were be been being do does did doing done have has had having
    will would shall should can could may might must
    and or but if then than so as of at by for from in into on onto to with about over under out up down off
    what which who whom whose when where why how
    there here all any some both each few more most other such only own same too very just also not no nor
"""

_FORMS = """
    arise: arose arisen
    awake: awoke awoken
    bear: bore borne
    beat: beaten
    become: became
    begin: began begun
    bend: bent
    bind: bound
    bite: bit bitten
    bleed: bled
    blow: blew blown
    break: broke broken
    breed: bred
    bring: brought
    build: built
    burn: burnt
    buy: bought
    catch: caught
    child: children
    choose: chose chosen
    cling: clung
    come: came
    creep: crept
    deal: dealt
    die: dying
    dig: dug
    draw: drew drawn
    dream: dreamt
    drink: drank drunk
    drive: drove driven
    eat: ate eaten
    fall: fell fallen
    feed: fed
    feel: felt
    fight: fought
    find: found
    flee: fled
    fly: flew flown
    foot: feet
    forbid: forbade forbidden
    forget: forgot forgotten
    forgive: forgave forgiven
    freeze: froze frozen
    get: got gotten
    give: gave given
    go: went gone
    goose: geese
    grandchild: grandchildren
    grind: ground
    grow: grew grown
    half: halves
    hang: hung
    hear: heard
    hide: hid hidden
    hold: held
    keep: kept
    knife: knives
    know: knew known
    lay: laid
    lead: led
    leaf: leaves
    lean: leant
    leap: leapt
    learn: learnt
    lend: lent
    lie: lying
    life: lives
    light: lit
    lose: lost
    make: made
    man: men
    mean: meant
    meet: met
    mouse: mice
    ox: oxen
    pay: paid
    person: people
    prove: proven
    ride: rode ridden
    ring: rang rung
    rise: rose risen
    run: ran
    say: said
    see: saw seen
    seek: sought
    sell: sold
    send: sent
    sew: sewn
    shake: shook shaken
    shelf: shelves
    shine: shone
    shoot: shot
    show: shown
    shrink: shrank shrunk
    sing: sang sung
    sink: sank sunk
    sit: sat
    sleep: slept
    slide: slid
    smell: smelt
    sneak: snuck
    speak: spoke spoken
    speed: sped
    spell: spelt
    spend: spent
    spill: spilt
    spin: spun
    spring: sprang sprung
    stand: stood
    steal: stole stolen
    stick: stuck
    sting: stung
    stink: stank stunk
    strike: struck
    string: strung
    strive: strove
    swear: swore sworn
    sweep: swept
    swell: swollen
    swim: swam swum
    swing: swung
    take: took taken
    teach: taught
    tear: tore torn
    tell: told
    think: thought
    thief: thieves
    throw: threw thrown
    tie: tying
    tooth: teeth
    understand: understood
    wake: woke woken
    wear: wore worn
    weave: wove woven
    weep: wept
    wife: wives
    win: won
    wind: wound
    withdraw: withdrew withdrawn
    wolf: wolves
    woman: women
    write: wrote written
    good: better best
    bad: worse worst
"""


STOPWORDS = frozenset(_COMMON.split())
"""In lower case, as they are after apostrophes are cut."""


def _read_forms(table: str) -> dict[str, str]:
    forms = {}
    for line in filter(None, map(str.strip, table.splitlines())):
        base, _, words = line.partition(": ")
        forms.update(dict.fromkeys(words.split(), base))
    return forms


IRREGULAR_FORMS: dict[str, str] = _read_forms(_FORMS)
"""Inflected form -> base form, all in lower case."""
