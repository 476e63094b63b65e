/** The phrases of the log book. A name in braces is replaced by an entry of the list of that name. */
export const PHRASES = {
  weather: [
    'Wind {wind}, force {force}, {sky}.',
    '{Sky} at first light, wind {wind}, hardly force {force} under the land.',
    'Glass {glass} and {trend}; wind {wind} by breakfast, force {force}.',
    'Woke to {sound}. Wind {wind}, force {force}, {sky}.',
    'A {adjective} morning, {sky}, the wind {wind} and in no hurry.',
    '{Sky} all day, wind {wind}, and the glass {trend} at {glass}.',
    'Wind {wind} in the night, force {force} by noon, {sky} towards evening.',
    'Dew on the coamings before the sun had them; wind {wind}, force {force}.',
    'Fog until ten, then {sky} as if somebody had drawn a curtain; wind {wind}.',
    'Rain on deck from four until seven, then {sky}, wind {wind}, force {force}.',
    'The forecast promised {promised}; what came was {sky} and wind {wind}.',
    'Sea {sea}, wind {wind}, force {force}; the islands stood up clear as teeth.',
    'Halo round the moon last night, and so today {sky}, glass {glass} and {trend}.',
  ],
  passage: [
    'Cast off at {hour} and made {to} in {duration}, {miles} miles over the ground.',
    'To {to} by way of {mark}, {miles} miles, {duration}, with the flood under us most of the way.',
    'Left {from} at {hour} with {companion} aboard; picked up {mark} on the bow and were fast in {to} after {duration}.',
    'Slipped from {from} before anybody was about. {Mark} abeam by breakfast, and so to {to}, {miles} miles.',
    'Sail up for the first half, the engine for the rest: {from} to {to}, {miles} miles.',
    'Across to {to}. The tide turned against us at {mark} and we ate the whole {food} waiting for it.',
    'Took {cargo} across to {to} for {neighbour}, {miles} miles, {duration}, and nothing broken.',
    'Set a course for {to} and for once arrived in {to}. {Duration} under way, {miles} miles.',
    'Meant to go further, but {mark} was breaking and we turned into {to} at {hour}.',
    'Towed {neighbour} in from {mark}; fast in {to} at {hour} and thanked with {thanks}.',
    'Ran down to {to} with the wind behind us, {miles} miles in {duration}, which I have not managed before.',
    'Kept well clear of the rock that the chart does not know, two cables north of Gull Ledge, and came into {to} at {hour}.',
  ],
  stay: [
    'Stayed in {from}. {Neighbour} came by with {thanks} and stayed until it was finished.',
    'A day alongside in {from}: {chore}, {chore2}, and {food} for supper.',
    'In {from}, weatherbound, and not sorry. {Companion} read aloud from the tide tables to make me laugh.',
    'Did not leave {from}. Too much {reason}, and besides the {food} was not done.',
    'Lay at anchor off {mark} in {depth} metres, good holding in {bottom}.',
    'Quiet in {from}. Counted {number} gulls on the harbour wall, every one of them facing {wind}.',
    '{Companion} rowed round the harbour of {from} twice and came back with {thanks}.',
    'Nobody came and nobody went. {From} has days like that and I have come to like them.',
    'Walked up behind {from} to look at the sea from above. It looked as if it needed no one.',
    'Market day in {from}. Bought {goods} and {goods2}, and was told the news three times.',
  ],
  work: [
    'Two hours on {chore}.',
    '{Chore}, and found that {finding}.',
    'Engine started at the {nth} swing; {hours} hours on the meter.',
    'Meter reads {hours} engine hours. {Litres} litres of diesel taken in {from}, the price a disgrace.',
    'Pumped the bilge, {strokes} strokes, which is {verdict}.',
    'Changed the engine oil: black as {black}.',
    'Began with {chore} and ended, as one does, with {chore2}.',
    '{Chore} with {companion}, who is better at it than I am and knows it.',
    'Bought {goods} for the boat and forgot {goods2}.',
    '{Neighbour} lent me {tool}. Must not forget to bring it back.',
    'Sewed {sewing} by lamplight.',
    'The {part} complained again. Spoke to it, and greased it, and one of the two helped.',
    'Found {lost}, which I had blamed {companion} for losing.',
    'Put {chore} off until tomorrow for the {nth} time and wrote it down here so that I am ashamed.',
  ],
  life: [
    '{Animal} {did}.',
    '{Neighbour} says {saying}.',
    'Supper: {food}, and {treat} after it, eaten on deck.',
    'Over {mark}, {light}.',
    '{Companion} saw {sighting} first and will not let us forget it.',
    'Passed {vessel}; they {greeting} and we did the same.',
    'Heard on the wireless that {news}.',
    'Thought about {thought} for as long as it takes to smoke a pipe.',
    'In the evening {light}.',
    'A postcard from {neighbour} was waiting at the harbour office; all it said was that {saying}.',
    'Slept badly on account of {sound}.',
    '{Companion} asked why {question}. Had no answer and promised one by Sunday.',
    'Drew {mark} in the margin; it came out looking like {black}.',
    'Two children on the quay wanted to know {askedWhat}. Told them the truth.',
  ],
  closing: [
    'All well.',
    'Nothing to add.',
    'Lamp out at {lamp}.',
    'To bed with a book about {thought}.',
    'A good day, on the whole.',
    'Would do it again.',
    'Not a day for the history books, but a day.',
    'Wound the clock.',
    'Left the hatch open for the air.',
    'Turned in early, for tomorrow the tide is at five.',
  ],
} as const

export const WORDS: Record<string, readonly string[]> = {
  sky: (
    'a high thin overcast|blue with small clouds in rows|grey without a seam|bright and cold|showers walking about' +
    '|mackerel sky in the west|haze over the sound|clear enough to count the sheep on the far shore|low cloud and drizzle' +
    '|a washed sky|sun with a ring round it|milky light and no horizon|squalls with rainbows between them'
  ).split('|'),
  trend: 'rising|falling slowly|steady|falling faster than I like|rising at last'.split('|'),
  sound: (
    'halyards slapping|rain on the skylight|a cock crowing ashore|somebody else’s anchor chain|the foghorn on Hob Point' +
    '|no sound at all|eider ducks gossiping under the bow|the mail boat’s wash|a dog barking at the tide'
  ).split('|'),
  adjective:
    'soft|raw|brilliant|sullen|still|blowy|generous|thin-lipped|pearl-coloured|hard|mild|restless'.split('|'),
  promised:
    'gales|sunshine|a light breeze and good visibility|thunder|fog banks|nothing worth mentioning'.split('|'),
  sea: 'smooth|slight|lumpy|moderate with a long swell|short and steep|like oiled slate|confused off the points'.split(
    '|',
  ),
  mark: (
    'Gull Ledge|Hob Point|the Widow’s Thumb|the beacon on Tarn Skerry|the Four Sisters|Lantern Rock|the north cardinal' +
    '|Priest’s Nose|the old salt works|the wreck buoy|Cold Kettle Bay|the Long Spit'
  ).split('|'),
  companion: (
    'Elsbeth|Elsbeth’s sister|young Piet|the schoolmaster|Doctor Amsel|my brother Ruben|Piet’s father|the new curate' +
    '|Elsbeth and the dog|old Tobias'
  ).split('|'),
  neighbour: (
    'Captain Odd|the lighthouse keeper|Widow Marlowe|the cooper of Tarn Skerry|the harbourmaster|the ferryman' +
    '|Greta from the chandlery|the smoker of Little Skarn|a painter from the mainland|the postmistress|Tobias the net mender'
  ).split('|'),
  cargo: (
    'two goats|a harmonium|eleven sacks of seed potatoes|a bride’s trunk|a sleeping beehive|four window frames|the parish library' +
    '|a piano stool without its piano|a sick calf|the school’s new globe|a wardrobe with the clothes still in it'
  ).split('|'),
  thanks: (
    'a jar of gooseberries|half a cheese|a bottle without a label|eggs in a hat|a warm loaf|three flounders on a string' +
    '|a long story|honey in the comb|a coil of good rope|new potatoes|a drawing of the boat'
  ).split('|'),
  food: (
    'pea soup|fried herring|pancakes|potatoes with caraway|mussels from the ledge|bread and dripping|plum dumplings' +
    '|barley broth|eel in dill|apple cake|beans with bacon|rice pudding'
  ).split('|'),
  chore: (
    'scraping the port rail|splicing a new painter|painting the wheelhouse roof|greasing the stern gland|caulking the third plank' +
    '|oiling the mast|cleaning the paraffin stove|bedding the cleats again|filing the anchor shackle|tarring the dinghy' +
    '|tracing the leak above the chart table|polishing the binnacle|sorting the flag locker|trimming the lamp wicks' +
    '|renewing the fender lashings|clearing the scuppers'
  ).split('|'),
  finding: (
    'the wood beneath is as good as new|somebody had done it before me, and worse|it needs doing again in spring' +
    '|one screw was missing and has been for years|it was not the trouble at all|the old paint was green under the white' +
    '|a wren has been nesting there|I own two left-handed scrapers|the brass is thinner than it was'
  ).split('|'),
  reason: 'wind|swell in the entrance|fog|rain|paperwork|company|laundry|east in the wind|Sunday'.split('|'),
  bottom:
    'blue clay|sand and shell|mud that smells of eggs|weed over gravel|clean sand|stones and hope'.split('|'),
  goods: (
    'a tin of varnish|lamp glass|ship’s biscuit|coffee|galvanised nails|a ball of marline|two lemons|a new bucket|tar soap' +
    '|candles|a hacksaw blade|peppermints|sailcloth by the yard|a barometer key|onions'
  ).split('|'),
  treat: (
    'cold tea|a pear|an argument about knots|peppermint tea|two biscuits each|the last of the jam|a second helping|plum brandy' +
    '|stewed rhubarb|a song|nothing'
  ).split('|'),
  nth: 'first|second|third|fourth|fifth|sixth'.split('|'),
  verdict:
    'fewer than yesterday|about right for her age|more than I care for|nothing at all|a record, and not a good one|honest'.split(
      '|',
    ),
  black:
    'a bishop’s hat|the inside of a boot|Widow Marlowe’s cat|November|a chimney|strong coffee|a flattened hedgehog'.split(
      '|',
    ),
  tool: (
    'a long drill|the good caulking iron|a vice|his second-best plane|a tap and die set|the block and tackle|a hydrometer' +
    '|a ladder|scissors that cut'
  ).split('|'),
  sewing:
    'a patch on the mizzen|new ties for the mainsail|a cover for the skylight|the corner of the ensign|a bag for the signal flags|the cuffs of my oilskin'.split(
      '|',
    ),
  part: 'windlass|rudder stock|bilge pump|forehatch|gaff jaw|wheelhouse door|compass gimbal|starboard block'.split(
    '|',
  ),
  lost: (
    'the spare dividers behind the settee|my reading glasses in the chart drawer|the cork-handled knife in the bilge|a letter from 1963' +
    '|the dog’s ball in the sail locker|the key to the lazarette on its own hook'
  ).split('|'),
  animal:
    'A seal|Two porpoises|A heron|The harbour cat|An owl|A skein of geese|One very tired racing pigeon|A cormorant|An otter|Forty eiders'.split(
      '|',
    ),
  did: (
    'kept us company past the beacon|looked us over and found us dull|slept on the dinghy all afternoon|stole the bait' +
    '|crossed our bow without looking|sat on the wheelhouse and would not be persuaded|went north, as everything does this week' +
    '|made more noise than the whole harbour|arrived with the flood and left with the ebb'
  ).split('|'),
  sighting:
    'the first swallow|a whale, or a log|the returning terns|a sea eagle|jellyfish by the thousand|the fox on the beach'.split(
      '|',
    ),
  saying: (
    'the herring will be late this year|a boat is never finished, only afloat|it was colder in his father’s time' +
    '|the mail boat is to be replaced, as it is every spring|nobody knots properly any more|the new buoy is in the wrong place' +
    '|there will be snow before Martinmas|salt keeps everything but promises|the best harbour is the one you are in'
  ).split('|'),
  light: (
    'the light went green, then gold, then out|a bank of fog lay like a cat on a sill|the moon came up the colour of brick' +
    '|lightning without thunder, a long way off|the northern lights, faint, like breath on a pane|swifts until it was too dark to see them' +
    '|stars so many that the old ones were hard to find'
  ).split('|'),
  vessel: (
    'the mail boat|a yacht with a nervous crew|the dredger|a fishing boat from the north|the customs launch|a raft of timber' +
    '|the ferry, late|a schoolship with boys in every shroud|the buoy tender'
  ).split('|'),
  greeting:
    'dipped their flag|waved a saucepan|sounded twice|pretended not to see us|held up a fish|took off their hats'.split(
      '|',
    ),
  news: (
    'the light on Hob Point will go electric|there is to be a bridge, some day|a comet may be seen by those who get up for it' +
    '|the price of diesel rises again|the regatta is put off a week|a choir from the mainland is coming to {from}'
  ).split('|'),
  thought: (
    'tides|my father’s hands|the shape of islands|bees|why charts have edges|polar voyages|lighthouses|the price of rope' +
    '|what the dog dreams|old harbours under new ones|clouds and their names'
  ).split('|'),
  question: (
    'the sea is salt and the rain is not|boats are called she|the buoys are red on that side|one cannot see wind' +
    '|eels go all that way|we never painted her blue'
  ).split('|'),
  askedWhat: (
    'whether we were pirates|how deep the harbour is|where the boat sleeps|if the bell still rings|what a wagtail eats' +
    '|how old I am'
  ).split('|'),
  wind: 'north|north-east|east|south-east|south|south-west|west|north-west'.split('|'),
  force: '1|2|3|4|5|6'.split('|'),
  duration:
    'two hours|three hours|three hours and a half|four hours|five hours|most of the day|a long hour'.split(
      '|',
    ),
  hour: 'first light|six|seven|half past eight|nine|ten|noon|one|half past two|four|dusk'.split('|'),
  lamp: 'nine|half past nine|ten|a quarter past ten|eleven|an hour I shall not write down'.split('|'),
}

export const HARBOURS = (
  'Varnhaven|Little Skarn|Great Skarn|Tarn Skerry|Mussel Creek|Osier Quay|Hobwick|Saltern|Cold Kettle|Northing' +
  '|Priory Steps|Anker’s Hole'
).split('|')
