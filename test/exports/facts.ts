import { chromeHistory, chromeTime, firefoxPlaces, safariHistory } from './browser-databases.ts'
import { basic, iso, type MadeExport, millis, stamp, upTo, words } from './made-export.ts'

export const FACTS: MadeExport[] = [
  {
    format: 'ics',
    of: items => ({
      'work.ics': `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${upTo(
        items,
        i =>
          `BEGIN:VEVENT\r\nUID:${i}@example.org\r\nDTSTART:${basic(i)}\r\nSUMMARY:${words(i)}\r\nEND:VEVENT\r\n`,
      ).join('')}END:VCALENDAR\r\n`,
    }),
  },
  {
    format: 'vcard',
    of: items => ({
      'all.vcf': upTo(
        items,
        i => `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${words(i)}\r\nTEL:${1000 + i}\r\nEND:VCARD\r\n`,
      ).join(''),
    }),
  },
  {
    format: 'apple-health',
    of: items => ({
      'apple_health_export/export.xml': `<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n${upTo(
        items,
        i => {
          const at = `${stamp(i).replace('T', ' ')} +0000`
          return `<Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" startDate="${at}" endDate="${at}" value="${words(i).length}"/>\n`
        },
      ).join('')}</HealthData>`,
    }),
  },
  {
    format: 'spotify',
    layout: 'extended',
    of: items => ({
      'Streaming_History_Audio_2024.json': upTo(items, i => ({
        ts: iso(i),
        platform: 'ios',
        ms_played: 1500,
        master_metadata_track_name: words(i),
        master_metadata_album_artist_name: 'Ada',
        spotify_track_uri: `spotify:track:${words(i)}`,
      })),
    }),
  },
  {
    format: 'spotify',
    layout: 'account data',
    of: items => ({
      'StreamingHistory_music_0.json': upTo(items, i => ({
        endTime: stamp(i).slice(0, 16).replace('T', ' '),
        artistName: 'Ben',
        trackName: words(i),
        msPlayed: 60_000,
      })),
    }),
  },
  {
    format: 'browser',
    layout: 'bookmarks',
    of: items => ({
      'Bookmarks.html': `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n<DL><p>\n${upTo(
        items,
        i => `<DT><A HREF="https://example.org/${i}" ADD_DATE="${millis(i) / 1000}">${words(i)}</A>\n`,
      ).join('')}</DL><p>`,
    }),
  },
  {
    format: 'browser',
    layout: 'history',
    of: items => ({
      'Chrome/History.json': {
        'Browser History': upTo(items, i => ({
          title: words(i),
          url: 'https://example.org/',
          time_usec: millis(i) * 1000,
        })).reverse(),
      },
    }),
  },
  {
    format: 'browser',
    layout: 'Chrome',
    of: items => ({
      History: chromeHistory({
        urls: upTo(items, i => ({ id: i + 1, url: `https://example.org/${i % 3}`, title: words(i % 3) })),
        visits: upTo(items, i => ({ id: i + 1, url: (i % 3) + 1, visit_time: chromeTime(millis(i)) })),
      }),
    }),
  },
  {
    format: 'browser',
    layout: 'Firefox',
    of: items => ({
      'places.sqlite': firefoxPlaces({
        moz_places: upTo(items, i => ({ id: i + 1, url: `https://example.org/${i}`, title: words(i) })),
        moz_historyvisits: upTo(items, i => ({ id: i + 1, place_id: i + 1, visit_date: millis(i) * 1000 })),
        moz_bookmarks: upTo(items, i => ({ id: i + 7, type: 1, fk: i + 1, parent: 2, title: words(i) })),
      }),
    }),
    records: items => 2 * items,
  },
  {
    format: 'browser',
    layout: 'Safari',
    of: items => ({
      'History.db': safariHistory({
        history_items: [{ id: 1, url: 'https://example.org/' }],
        history_visits: upTo(items, i => ({
          history_item: 1,
          visit_time: millis(i) / 1000 - 978_307_200,
          title: words(i),
        })),
      }),
    }),
  },
  {
    format: 'table',
    layout: 'CSV',
    of: items => ({ 'a.csv': `at,what\n${upTo(items, i => `${iso(i)},${words(i)}\n`).join('')}` }),
  },
  {
    format: 'table',
    layout: 'JSON',
    of: items => ({ 'b.json': upTo(items, i => ({ id: i, at: iso(i), what: words(i) })) }),
  },
]
