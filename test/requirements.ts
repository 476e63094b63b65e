/** The product's requirements. Tests cite the ids in their titles; requirement-coverage.test.ts compares. */
// A character is a Unicode code point. SC is structuredContent. RS is the resource server.
export const REQUIREMENTS = {
  'ID-1': 'An id is {connection_id}/{stream}:{record_id}; the legacy form has no slash',
  'ID-2': 'No segment holds / or  or "..", is empty or "."; nothing is escaped',
  'ID-3': 'Every legacy id parses to the stream and record it always meant',
  'ID-4': 'fetch needs the id alone and forwards its connection unmodified as connection_id',
  'ID-5': 'A legacy id may be scoped by connection_id; unscoped ambiguity passes the 409 through',
  'ID-6': 'An equal connection_id is accepted; a different one is refused without an RS call',
  'ID-7': 'A malformed id is invalid_result_id and says which segment and why',
  'ID-8': 'Search wraps only hits that name stream and record; others show connection_id',
  'ID-9': 'An id that already contains a slash when it is minted passes through untouched',
  'ID-10': 'The complete id is in text and SC, never shortened; evidence comes before the last ids',
  'ID-11': 'A record id outside the grammar has the handle pdpp://record/{handle}',
  'ID-12': 'pdpp://record/ inputs resolve to the same record; answers carry the id',
  'ID-13': 'On a multi-source grant the id read from search text alone is enough for fetch',
  'ID-14': 'Search text says to pass the id as it is; connection_id only when shown separately',

  'EV-1': 'A match window is proven by the RS: field path, exact range, bounded text',
  'EV-2': 'Evidence first: id, field, snippet in three blocks, also with ids of 200 bytes; then lines',
  'EV-3': 'SC.results and SC.content_ladder carry a bounded preview of the same window',
  'EV-4': 'A hit without a proven window shows identity and continuation, and no matched field',
  'EV-5': 'A record_uri of the RS is shown as the equivalent id; data is untouched',
  'EV-6': 'Text stays bounded whatever the hits; SC.data is the RS envelope, whole',
  'EV-7': 'A previewed hit shows title or first words, author, source, time and snippet if known',
  'EV-8': 'The snippet contains the match: words, stems, diacritics, text without spaces',

  'LA-1': 'Every incomplete preview has exact read_record_field arguments in the same channel',
  'LA-2': 'SC.content_ladder lists incomplete, evidence and binary fields with their calls',
  'LA-3': 'The text of an incomplete preview names id, path, range and the call, in search once',
  'LA-4': 'No rule of the ladder names a connector; nested text values work too',
  'LA-5': 'Small reads are inline without resource_link; window URIs are in _meta only',
  'LA-6': 'No base64 and nothing unbounded is inlined; a binary field shows type, size, digest',
  'LA-7': 'A digest or revision travels with every window, so stale ones are detected',
  'LA-8': 'A binary field gives one resource_link and an export link; reads stop at 1 MiB',

  'RF-1': 'read_record_field accepts exactly the fixed schema; no oneOf at the advertised root',
  'RF-2': 'cursor, offset and q cannot be combined; before and after need q',
  'RF-3': 'limit 4096 by default, at most 16384; before and after 2048, at most 8192 each',
  'RF-4': 'q is a literal, folded for case and diacritics alike on both engines',
  'RF-5': 'SC follows the output schema exactly',
  'RF-6': 'Text is one line of compact JSON, then the window in a fence record text cannot forge',
  'RF-7': 'Cursors tile the field without gap or overlap; null exactly at its ends',
  'RF-8': 'Cursors are opaque, authenticated, expiring, bound to field, digest, grant',
  'RF-9': 'Coordinates are exact for astral characters, combining marks and CRLF',
  'RF-10': 'Lists and objects are read as JSON, other values are a typed error; empty is complete',
  'RF-11': 'field_path is a name or a JSON Pointer; the grant looks at its first part',

  'RS-1': 'A window costs the same however long the field is, on SQLite and on PostgreSQL',
  'RS-2': 'Nothing outside the active grant can be read by any route, cursor or handle',
  'RS-3': "Every read uses the request's own token; ids and cursors carry no authority",
  'RS-4': 'Refusals mean the same: stream and field 403, connection and record 404',
  'RS-5': 'Hidden fields and records leak nowhere: no count, date, digest, error',

  'RC-1': 'Templates for record, field-window and blob; handles identify and do not authorize',
  'RC-2': 'A field-window resource equals the tool read; a record resource is bounded',
  'RC-3': 'A resource that is outside the grant or missing is a protocol error',

  'BU-1': 'Text: search 1,800 bytes, query_records 8,000, aggregate 4,000, a window its text plus 600',
  'BU-2': 'tools/list at most 11,000 bytes, output schemas included, instructions 1,200, a description 1,024',
  'BU-3': 'SC of a default search at most 16,000 bytes in any script, of any call 30,000',
  'BU-4': 'fetch at most 12,000 bytes in each channel whatever the record',
  'BU-5': 'The first 1,000 characters of a result hold id, completeness and the next call',

  'AN-20': 'A link formed from id, field and range opens the passage; a quote marks its sentence',
  'AN-25': 'null, empty text and [] are absent, numbers may be text, limits are lowered with a note',
  'AN-24':
    'Tools take person, connector, since and until; dates are days of the owner, and the answer repeats them',
  'AN-23':
    'A listed record is a line: id, time, author, whole values; asked fields always, and the next call',
  'AN-21': 'Search text uses its room: three hits with evidence, every hit with words and day',
  'AN-27':
    'Neither one conversation nor one repeated text fills a page of hits; the page says how many more of a conversation follow',
  'AN-28':
    'A hit in a long text says where its next best matches are, each a proven place that one call reads',
  'AN-26':
    'The owner has a time zone: set, else that of the first start; schema shows it with the date of today',
  'AN-22':
    'read_conversation shows whole messages around a record in both channels; what is cut has its call',

  'AN-30':
    'An import says who can read it; a source is added to a connected app under a grant of its own, at once',
  'AN-31':
    'Every command finds the server that runs on its data, whatever its port; a taken port names who has it',
  'AN-32':
    'One call reads several connections, a kind of source, or all streams by time; search sorts by time and counts',
  'AN-33':
    "Texts show the owner's clocks with their offset; structured content keeps instants and repeats what dates meant",
  'AN-40':
    'Sources are renamed and removed, with nothing left; samples stay gone; owner tokens are listed and revoked',
  'AN-41':
    'Commands take people, partial and relative dates in the zone of the owner, and names; they show local times',

  'AN-60':
    'Nothing found says what was searched and what matches nothing, with the nearest visible values; never what is hidden',
  'AN-61': 'The fourteen questions are answered from each channel alone, within their calls and bytes',
  'AN-62':
    'Every call, link and resource that an answer prints works when copied, whatever ids and fields are named',
  'AN-70':
    'A known app starts from what it had; one press shares all of a source or the same of all; counts follow the time',
  'AN-78': 'A search for a person says where and when they appear, as far as may be seen, with calls for all',
  'AN-63':
    'Fields that the ladder does not list have one call, cut titles are marked, and declared MIME types are shown',

  'CL-1': 'A client that sees only content reads the planted passage in full',
  'CL-2': 'A client that sees only structuredContent does too',
  'CL-3': 'A client that uses results and content_ladder without prose does too',
  'CL-4': 'A client that follows resource URIs pages to both ends',
  'CL-5': 'A client that sees only the first 1,000 characters does too',
  'CL-6': 'A client of /mcp/research, with search and fetch alone, does too and reads on both ways',

  'AN-1':
    'Fields have roles, streams conversations and own records; a wrong one is refused, every reason at once',
  'AN-2': 'Streams have names that say what they hold, so no two sources share one',
  'AN-3':
    'A person is a name, an address or a part of either, by words and folded; roles decide where; me is the owner',
  'AN-4': 'from to with in before after on has type work in a query; operators alone list by time',
  'AN-5': 'The records of all readable streams come by time, narrowed by person, place and time',
  'AN-6': 'Operators see granted fields and visible records only; none granted is field_not_granted',
  'AN-7': 'The conversation around a record is read in order, under the grant, at the same cost in any size',
  'AN-8': 'A search by time lists visible records that hold all its words, newest or oldest first',

  'AN-42':
    'Aggregates take words, a person and a second grouping, exactly and under the grant, in any time zone',

  'ER-1': 'Every refusal has a stable code and a message that says what to do next',
  'ER-2': 'RS errors keep their meaning; nothing is retried with other credentials',
  'ER-3': 'Every host delivers every error: isError, one block: a sentence, then JSON; no SC',
  'ER-4': 'Unknown arguments are refused, except those hosts are known to inject',

  'HO-1': 'One adapter over stdio and Streamable HTTP in both protocol eras',
  'HO-2': '/mcp takes client tokens only: 401 with metadata, 403 for an owner token',
  'HO-3': 'One token may cover several connections, ranked and paged together',
  'HO-4': 'stdout of the stdio server carries protocol messages only',
  'HO-5': 'MCP reads only: no owner control, no running of importers, no tool per connector',
  'HO-7': 'Sign-in explains itself: wrong addresses, no egress, a waiting consent, loopback',
  'HO-8': 'ChatGPT, Claude, VS Code, Cursor and Le Chat sign in as they publish themselves',
  'HO-9': 'A refused stream offers the owner the page for exactly that, and tells nothing of what exists',
  'HO-10': 'show_evidence is listed only where pages are shown; its result is complete without the page',
  'HO-6': 'Named clients that were tried are listed in the docs with their versions',
}
