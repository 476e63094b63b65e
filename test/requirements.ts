/** The product's requirements. Tests cite the ids in their titles; requirement-coverage.test.ts compares. */
export const PARTS = ['foundation', 'search', 'mcp', 'authorization', 'first-run'] as const

export type Part = (typeof PARTS)[number]

export interface Requirement {
  readonly id: string
  readonly part: Part
  readonly text: string
}

const row = (id: string, part: Part, text: string): Requirement => ({ id, part, text })

// A character is a Unicode code point. SC is structuredContent. RS is the resource server.
export const REQUIREMENTS: readonly Requirement[] = [
  row('ID-1', 'foundation', 'An id is {connection_id}/{stream}:{record_id}; the legacy form has no slash'),
  row('ID-2', 'foundation', 'No segment holds / or \\ or "..", is empty or "."; nothing is escaped'),
  row('ID-3', 'foundation', 'Every legacy id parses to the stream and record it always meant'),
  row('ID-4', 'mcp', 'fetch needs the id alone and forwards its connection unmodified as connection_id'),
  row('ID-5', 'mcp', 'A legacy id may be scoped by connection_id; unscoped ambiguity passes the 409 through'),
  row('ID-6', 'mcp', 'An equal connection_id is accepted; a different one is refused without an RS call'),
  row('ID-7', 'foundation', 'A malformed id is invalid_result_id and says which segment and why'),
  row('ID-8', 'mcp', 'Search wraps only hits that name stream and record; others show connection_id'),
  row('ID-9', 'foundation', 'An id that already contains a slash when it is minted passes through untouched'),
  row(
    'ID-10',
    'mcp',
    'The complete id is in text and SC, never shortened; evidence comes before the last ids',
  ),
  row('ID-11', 'foundation', 'A record id outside the grammar has the handle pdpp://record/{handle}'),
  row('ID-12', 'mcp', 'pdpp://record/ inputs resolve to the same record; answers carry the id'),
  row('ID-13', 'mcp', 'On a multi-source grant the id read from search text alone is enough for fetch'),
  row('ID-14', 'mcp', 'Search text says to pass the id as it is; connection_id only when shown separately'),

  row('EV-1', 'search', 'A match window is proven by the RS: field path, exact range, bounded text'),
  row(
    'EV-2',
    'mcp',
    'Evidence first: id, field, snippet in three blocks, also with ids of 200 bytes; then lines',
  ),
  row('EV-3', 'mcp', 'SC.results and SC.content_ladder carry a bounded preview of the same window'),
  row('EV-4', 'mcp', 'A hit without a proven window shows identity and continuation, and no matched field'),
  row('EV-5', 'mcp', 'A record_uri of the RS is shown as the equivalent id; data is untouched'),
  row('EV-6', 'mcp', 'Text stays bounded whatever the hits; SC.data is the RS envelope, whole'),
  row('EV-7', 'mcp', 'A previewed hit shows title or first words, author, source, time and snippet if known'),
  row('EV-8', 'search', 'The snippet contains the match: words, stems, diacritics, text without spaces'),

  row('LA-1', 'mcp', 'Every incomplete preview has exact read_record_field arguments in the same channel'),
  row('LA-2', 'mcp', 'SC.content_ladder lists incomplete, evidence and binary fields with their calls'),
  row('LA-3', 'mcp', 'The text of an incomplete preview names id, path, range and the call, in search once'),
  row('LA-4', 'mcp', 'No rule of the ladder names a connector; nested text values work too'),
  row('LA-5', 'mcp', 'Small reads are inline without resource_link; window URIs are in _meta only'),
  row('LA-6', 'mcp', 'No base64 and nothing unbounded is inlined; a binary field shows type, size, digest'),
  row('LA-7', 'foundation', 'A digest or revision travels with every window, so stale ones are detected'),
  row('LA-8', 'mcp', 'A binary field gives one resource_link and an export link; reads stop at 1 MiB'),

  row('RF-1', 'mcp', 'read_record_field accepts exactly the fixed schema; no oneOf at the advertised root'),
  row('RF-2', 'foundation', 'cursor, offset and q cannot be combined; before and after need q'),
  row('RF-3', 'foundation', 'limit 4096 by default, at most 16384; before and after 2048, at most 8192 each'),
  row('RF-4', 'foundation', 'q is a literal, folded for case and diacritics alike on both engines'),
  row('RF-5', 'mcp', 'SC follows the output schema exactly'),
  row('RF-6', 'mcp', 'Text is one line of compact JSON, then the window in a fence record text cannot forge'),
  row('RF-7', 'foundation', 'Cursors tile the field without gap or overlap; null exactly at its ends'),
  row('RF-8', 'foundation', 'Cursors are opaque, authenticated, expiring, bound to field, digest, grant'),
  row('RF-9', 'foundation', 'Coordinates are exact for astral characters, combining marks and CRLF'),
  row(
    'RF-10',
    'foundation',
    'Lists and objects are read as JSON, other values are a typed error; empty is complete',
  ),
  row('RF-11', 'foundation', 'field_path is a name or a JSON Pointer; the grant looks at its first part'),

  row('RS-1', 'foundation', 'A window costs the same however long the field is, on SQLite and on PostgreSQL'),
  row('RS-2', 'foundation', 'Nothing outside the active grant can be read by any route, cursor or handle'),
  row('RS-3', 'foundation', "Every read uses the request's own token; ids and cursors carry no authority"),
  row('RS-4', 'foundation', 'Refusals mean the same: stream and field 403, connection and record 404'),
  row('RS-5', 'foundation', 'Hidden fields and records leak nowhere: no count, date, digest, error'),

  row('RC-1', 'mcp', 'Templates for record, field-window and blob; handles identify and do not authorize'),
  row('RC-2', 'mcp', 'A field-window resource equals the tool read; a record resource is bounded'),
  row('RC-3', 'mcp', 'A resource that is outside the grant or missing is a protocol error'),

  row(
    'BU-1',
    'mcp',
    'Text: search 1,800 bytes, query_records 8,000, aggregate 4,000, a window its text plus 600',
  ),
  row(
    'BU-2',
    'mcp',
    'tools/list at most 11,000 bytes, output schemas included, instructions 1,200, a description 1,024',
  ),
  row('BU-3', 'mcp', 'SC of a default search at most 16,000 bytes in any script, of any call 30,000'),
  row('BU-4', 'mcp', 'fetch at most 12,000 bytes in each channel whatever the record'),
  row('BU-5', 'mcp', 'The first 1,000 characters of a result hold id, completeness and the next call'),

  row('AN-20', 'mcp', 'A link formed from id, field and range opens the passage; a quote marks its sentence'),
  row(
    'AN-25',
    'mcp',
    'null, empty text and [] are absent, numbers may be text, limits are lowered with a note',
  ),
  row(
    'AN-24',
    'mcp',
    'Tools take person, connector, since and until; dates are days of the owner, and the answer repeats them',
  ),
  row(
    'AN-23',
    'mcp',
    'A listed record is a line: id, time, author, whole values; asked fields always, and the next call',
  ),
  row('AN-21', 'mcp', 'Search text uses its room: three hits with evidence, every hit with words and day'),
  row(
    'AN-27',
    'mcp',
    'One conversation does not fill a page of hits, and the page says that more of it follow',
  ),
  row(
    'AN-28',
    'mcp',
    'A hit in a long text says where its next best matches are, each a proven place that one call reads',
  ),
  row(
    'AN-26',
    'mcp',
    'The owner has a time zone: set, else that of the first start; schema shows it with the date of today',
  ),
  row(
    'AN-22',
    'mcp',
    'read_conversation shows whole messages around a record in both channels; what is cut has its call',
  ),

  row(
    'AN-30',
    'authorization',
    'An import says who can read it; a source is added to a connected app under a grant of its own, at once',
  ),
  row(
    'AN-31',
    'foundation',
    'Every command finds the server that runs on its data, whatever its port; a taken port names who has it',
  ),
  row(
    'AN-32',
    'mcp',
    'One call reads several connections, a kind of source, or all streams by time; search sorts by time and counts',
  ),
  row(
    'AN-33',
    'mcp',
    "Texts show the owner's clocks with their offset; structured content keeps instants and repeats what dates meant",
  ),
  row(
    'AN-40',
    'foundation',
    'Sources are renamed and removed, with nothing left; samples stay gone; owner tokens are listed and revoked',
  ),
  row(
    'AN-41',
    'foundation',
    'Commands take people, partial and relative dates in the zone of the owner, and names; they show local times',
  ),

  row(
    'AN-60',
    'mcp',
    'Nothing found says what was searched and what matches nothing, with the nearest visible values; never what is hidden',
  ),
  row(
    'AN-61',
    'mcp',
    'The fourteen questions are answered from each channel alone, within their calls and bytes',
  ),
  row(
    'AN-62',
    'mcp',
    'Every call, link and resource that an answer prints works when copied, whatever ids and fields are named',
  ),
  row(
    'AN-70',
    'authorization',
    'A known app starts from what it had; one press shares all of a source or the same of all; counts follow the time',
  ),
  row(
    'AN-63',
    'mcp',
    'Fields that the ladder does not list have one call, cut titles are marked, and declared MIME types are shown',
  ),

  row('CL-1', 'mcp', 'A client that sees only content reads the planted passage in full'),
  row('CL-2', 'mcp', 'A client that sees only structuredContent does too'),
  row('CL-3', 'mcp', 'A client that uses results and content_ladder without prose does too'),
  row('CL-4', 'mcp', 'A client that follows resource URIs pages to both ends'),
  row('CL-5', 'mcp', 'A client that sees only the first 1,000 characters does too'),
  row(
    'CL-6',
    'mcp',
    'A client of /mcp/research, with search and fetch alone, does too and reads on both ways',
  ),

  row(
    'AN-1',
    'foundation',
    'Fields have roles, streams conversations and own records; a wrong one is refused, every reason at once',
  ),
  row(
    'AN-2',
    'foundation',
    'Streams have names that say what they hold; stored ones are renamed with all they have',
  ),
  row(
    'AN-3',
    'foundation',
    'A person is a name, an address or a part of either, by words and folded; roles decide where; me is the owner',
  ),
  row(
    'AN-4',
    'search',
    'from to with in before after on has type work in a query; operators alone list by time',
  ),
  row(
    'AN-5',
    'foundation',
    'The records of all readable streams come by time, narrowed by person, place and time',
  ),
  row(
    'AN-6',
    'foundation',
    'Operators see granted fields and visible records only; none granted is field_not_granted',
  ),
  row(
    'AN-7',
    'foundation',
    'The conversation around a record is read in order, under the grant, at the same cost in any size',
  ),
  row(
    'AN-8',
    'search',
    'A search by time lists visible records that hold all its words, newest or oldest first',
  ),

  row(
    'AN-42',
    'search',
    'Aggregates take words, a person and a second grouping, exactly and under the grant, in any time zone',
  ),

  row('ER-1', 'foundation', 'Every refusal has a stable code and a message that says what to do next'),
  row('ER-2', 'mcp', 'RS errors keep their meaning; nothing is retried with other credentials'),
  row('ER-3', 'mcp', 'Every host delivers every error: isError, one block: a sentence, then JSON; no SC'),
  row('ER-4', 'mcp', 'Unknown arguments are refused, except those hosts are known to inject'),

  row('HO-1', 'mcp', 'One adapter over stdio and Streamable HTTP in both protocol eras'),
  row('HO-2', 'authorization', '/mcp takes client tokens only: 401 with metadata, 403 for an owner token'),
  row('HO-3', 'authorization', 'One token may cover several connections, ranked and paged together'),
  row('HO-4', 'mcp', 'stdout of the stdio server carries protocol messages only'),
  row('HO-5', 'mcp', 'MCP reads only: no owner control, no running of importers, no tool per connector'),
  row(
    'HO-7',
    'authorization',
    'Sign-in explains itself: wrong addresses, no egress, a waiting consent, loopback',
  ),
  row(
    'HO-8',
    'authorization',
    'ChatGPT, Claude, VS Code, Cursor and Le Chat sign in as they publish themselves',
  ),
  row(
    'HO-9',
    'mcp',
    'A refused stream offers the owner the page for exactly that, and tells nothing of what exists',
  ),
  row(
    'HO-10',
    'mcp',
    'show_evidence is listed only where pages are shown; its result is complete without the page',
  ),
  row('HO-6', 'mcp', 'Named clients that were tried are listed in the docs with their versions'),
]
