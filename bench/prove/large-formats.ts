/** A format whose exports are one long file, and how such a file is written. */
export interface LargeFormat {
  format: string
  /** Tells apart what has the same format. */
  layout?: string
  path: string
  head: string
  /** An item, with what separates it from the one before. */
  item(i: number): string
  tail: string
  /** The file is in a zip of this name. */
  zip?: string
  /** How many records that many items become; if left out, one each. */
  records?(items: number): number
}

/** Most messages are short, and a few are long, as in real chats: about 1 KB on average. */
const LENGTHS = [12, 40, 40, 80, 200, 40, 12, 600, 40, 2_000]
/** Small mails, as in the rate of records that is compared between versions. */
const SHORT = 40
/** Words that are neither all alike nor all different, as in real texts. */
const words = (i: number, length = LENGTHS[i % LENGTHS.length] ?? SHORT) =>
  Array.from({ length }, (_, n) => ((i * 7919 + n * n * 31) % 20_011).toString(36)).join(' ')
const millis = (i: number) => Date.UTC(2015, 0, 1) + i * 7_000
const iso = (i: number) => new Date(millis(i)).toISOString()
const listed = (i: number, item: object) => `${i === 0 ? '' : ',\n'}${JSON.stringify(item)}`
const PER_CONVERSATION = 20

export const LARGE_FORMATS: readonly LargeFormat[] = [
  {
    format: 'mbox',
    path: 'all.mbox',
    head: '',
    item: i =>
      `From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a@example.org\nMessage-ID: <m${i}@example.org>\n` +
      `Date: ${new Date(millis(i)).toUTCString()}\nSubject: Letter ${i}\n\n${words(i, SHORT)}\n\n`,
    tail: '',
  },
  {
    format: 'apple-health',
    path: 'apple_health_export/export.xml',
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n',
    item: i => {
      const at = `${iso(i).slice(0, 19).replace('T', ' ')} +0000`
      return (
        `<Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" sourceVersion="9.1" device="&lt;HKDevice&gt;" unit="count" ` +
        `creationDate="${at}" startDate="${at}" endDate="${at}" value="${i % 500}"/>\n`
      )
    },
    tail: '</HealthData>\n',
  },
  {
    format: 'whatsapp',
    path: 'WhatsApp Chat with Ben.txt',
    head: '',
    item: i => {
      const [day = '', time = ''] = iso(i).split('T')
      return `${day.split('-').reverse().join('.')}, ${time.slice(0, 5)} - Ada: ${words(i)}\n`
    },
    tail: '',
  },
  {
    format: 'telegram',
    path: 'result.json',
    head: '{"name":"Ben","type":"personal_chat","id":1,"messages":[\n',
    item: i =>
      listed(i, { id: i + 1, type: 'message', date: iso(i).slice(0, 19), from: 'Ada', text: words(i) }),
    tail: ']}\n',
  },
  {
    format: 'google-activity',
    path: 'My Activity/Search/MyActivity.json',
    head: '[',
    item: i => listed(i, { header: 'Search', title: `Searched for ${words(i)}`, time: iso(i) }),
    tail: ']\n',
  },
  {
    format: 'chatgpt',
    path: 'conversations.json',
    head: '[',
    item: i =>
      listed(i, {
        id: `c${i}`,
        title: `Conversation ${i}`,
        create_time: millis(i) / 1000,
        mapping: Object.fromEntries(
          Array.from({ length: PER_CONVERSATION }, (_, n) => [
            `c${i}m${n}`,
            {
              id: `c${i}m${n}`,
              parent: n === 0 ? null : `c${i}m${n - 1}`,
              message: { author: { role: 'user' }, content: { parts: [words(i * PER_CONVERSATION + n)] } },
            },
          ]),
        ),
      }),
    tail: ']\n',
    records: items => items * (PER_CONVERSATION + 1),
  },
  {
    format: 'enex',
    path: 'Kitchen.enex',
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<en-export>',
    item: i =>
      `<note><title>Note ${i}</title><content><![CDATA[<en-note><div>${words(i)}</div></en-note>]]></content>` +
      `<created>${iso(i).slice(0, 19).replace(/[-:]/g, '')}Z</created></note>\n`,
    tail: '</en-export>\n',
  },
  {
    format: 'ics',
    path: 'work.ics',
    head: 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\n',
    item: i =>
      `BEGIN:VEVENT\r\nUID:${i}@example.org\r\nDTSTART:${iso(i).slice(0, 19).replace(/[-:]/g, '')}Z\r\n` +
      `SUMMARY:Meeting ${i}\r\nDESCRIPTION:${words(i)}\r\nEND:VEVENT\r\n`,
    tail: 'END:VCALENDAR\r\n',
  },
  {
    format: 'claude',
    path: 'conversations.json',
    head: '[',
    item: i =>
      listed(i, {
        uuid: `c${i}`,
        name: `Conversation ${i}`,
        created_at: iso(i),
        updated_at: iso(i),
        chat_messages: Array.from({ length: PER_CONVERSATION }, (_, n) => ({
          uuid: `c${i}m${n}`,
          sender: n % 2 === 0 ? 'human' : 'assistant',
          created_at: iso(i),
          text: words(i * PER_CONVERSATION + n),
        })),
      }),
    tail: ']\n',
    records: items => items * (PER_CONVERSATION + 1),
  },
  {
    format: 'vcard',
    path: 'people.vcf',
    head: '',
    item: i =>
      `BEGIN:VCARD\r\nVERSION:3.0\r\nUID:${i}\r\nFN:Person ${i}\r\nEMAIL:p${i}@example.org\r\nNOTE:${words(i)}\r\nEND:VCARD\r\n`,
    tail: '',
  },
  {
    format: 'table',
    layout: 'JSON lines',
    path: 'rows.ndjson',
    head: '',
    item: i => `${JSON.stringify({ at: iso(i), amount: (i % 1000) + 0.5, what: words(i) })}\n`,
    tail: '',
  },
  {
    format: 'table',
    layout: 'CSV',
    path: 'rows.csv',
    head: 'at,amount,what\n',
    item: i => `${iso(i)},${i % 1000}.50,${words(i)}\n`,
    tail: '',
  },
  {
    format: 'google-takeout-mail',
    zip: 'takeout-20260504T101500Z-001.zip',
    path: 'Takeout/Mail/All mail Including Spam and Trash.mbox',
    head: '',
    item: i =>
      `From ${1_000_000_000_000 + i}@xxx Mon Jan  5 10:00:00 2026\nX-GM-THRID: ${i}\nX-Gmail-Labels: Inbox\n` +
      `From: a@example.org\nMessage-ID: <m${i}@example.org>\nDate: ${new Date(millis(i)).toUTCString()}\n` +
      `Subject: Letter ${i}\n\n${words(i)}\n\n`,
    tail: '',
  },
  {
    format: 'sms-backup',
    path: 'sms.xml',
    head: "<?xml version='1.0'?><smses>",
    item: i => `<sms address="+491701234567" date="${millis(i)}" type="1" body="${words(i)}"/>\n`,
    tail: '</smses>\n',
  },
  {
    format: 'discord',
    path: 'general.json',
    head: '{"guild":{"id":"1","name":"Club"},"channel":{"id":"2","name":"general"},"messages":[\n',
    item: i =>
      listed(i, {
        id: String(i),
        type: 'Default',
        timestamp: iso(i),
        content: words(i),
        author: { id: '7', name: 'ada' },
      }),
    tail: ']}\n',
  },
  {
    format: 'facebook-instagram',
    path: 'messages/inbox/ben_1/message_1.json',
    head: '{"participants":[{"name":"Ada"},{"name":"Ben"}],"messages":[\n',
    item: i => listed(i, { sender_name: 'Ada', timestamp_ms: millis(i), content: words(i) }),
    tail: '],"title":"Ben","thread_path":"inbox/ben_1"}\n',
  },
  {
    format: 'spotify',
    path: 'Streaming_History_Audio_2024.json',
    head: '[',
    item: i =>
      listed(i, {
        ts: iso(i),
        platform: 'ios',
        ms_played: 1500,
        master_metadata_track_name: words(i),
        master_metadata_album_artist_name: 'Ada',
        spotify_track_uri: `spotify:track:${i}`,
      }),
    tail: ']\n',
  },
  {
    format: 'browser',
    path: 'Chrome/History.json',
    head: '{"Browser History":[\n',
    item: i =>
      listed(i, {
        title: words(i),
        url: `https://example.org/${i % 1000}`,
        time_usec: millis(i) * 1000,
      }),
    tail: ']}\n',
  },
]
