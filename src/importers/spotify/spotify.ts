import type { JsonObject } from '../../model/json.ts'
import { record } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { instantIn, integerIn, textIn } from '../reading/json-values.ts'
import { repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'
import { SPOTIFY } from './declaration.ts'

export const recognise: Recognise = async files => findingOf(SPOTIFY, files, 600, () => playItems)

function playItems(file: SourceFile): AsyncGenerator<FileItem> {
  const idOf = repeatedIds('spotify play')
  return objectItems(listedObjects(file, 'play'), (value, { place }) => [playOf(value, idOf, place)])
}

/** The extended history has URIs and times to the second; the short one has neither. */
function playOf(item: JsonObject, idOf: ReturnType<typeof repeatedIds>, place: string): ImportEvent {
  const song = textIn(item.master_metadata_track_name) ?? textIn(item.trackName)
  const episode = textIn(item.episode_name)
  const chapter = textIn(item.audiobook_chapter_title)
  const artist =
    textIn(item.master_metadata_album_artist_name) ??
    textIn(item.artistName) ??
    textIn(item.episode_show_name) ??
    textIn(item.audiobook_title)
  const ended_at = instantIn(item.ts) ?? parseWrittenTime(textIn(item.endTime) ?? '', null)?.utc ?? null
  const ms = integerIn(item.ms_played) ?? integerIn(item.msPlayed)
  const uri =
    textIn(item.spotify_track_uri) ?? textIn(item.spotify_episode_uri) ?? textIn(item.audiobook_chapter_uri)
  const title = song ?? episode ?? chapter
  const { id } = idOf(ended_at ?? '', uri ?? '', title ?? '', artist ?? '', String(ms))
  return record('spotify_plays', place, {
    id,
    title,
    artist,
    album: textIn(item.master_metadata_album_album_name),
    kind: song !== null ? 'song' : episode !== null ? 'podcast' : chapter !== null ? 'audiobook' : 'unknown',
    ended_at,
    seconds: ms === null ? null : ms / 1000,
    platform: textIn(item.platform),
    country: textIn(item.conn_country),
    uri,
  })
}
