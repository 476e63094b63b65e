import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'

test('both histories of Spotify are read', async context => {
  const long = {
    ts: '2024-01-01T10:00:00Z',
    platform: 'ios',
    ms_played: 1500,
    conn_country: 'DE',
    master_metadata_track_name: 'Song',
    master_metadata_album_artist_name: 'Ada',
    master_metadata_album_album_name: 'Album',
    spotify_track_uri: 'spotify:track:1',
    episode_name: null,
  }
  const podcast = {
    ...long,
    master_metadata_track_name: null,
    master_metadata_album_artist_name: null,
    spotify_track_uri: null,
    episode_name: 'One',
    episode_show_name: 'Talks',
    spotify_episode_uri: 'spotify:episode:1',
  }
  const folder = folderWith(context, {
    'Streaming_History_Audio_2024.json': [long, long, podcast, 'x'],
    'StreamingHistory0.json': [
      { endTime: '2024-01-02 11:30', artistName: 'Ben', trackName: 'Tune', msPlayed: 60000 },
    ],
  })
  const reading = await readingOf('spotify', folder)
  assert.deepEqual(rowsOf(reading.of('spotify_plays'), 'title', 'artist', 'kind', 'ended_at', 'seconds'), [
    ['Tune', 'Ben', 'song', '2024-01-02T11:30:00Z', 60],
    ['Song', 'Ada', 'song', '2024-01-01T10:00:00Z', 1.5],
    ['Song', 'Ada', 'song', '2024-01-01T10:00:00Z', 1.5],
    ['One', 'Talks', 'podcast', '2024-01-01T10:00:00Z', 1.5],
  ])
  assert.equal(new Set(reading.records.map(({ key }) => key)).size, 4)
  assert.deepEqual(valuesOf(reading.rejections, 'code'), ['not_an_object'])
})
