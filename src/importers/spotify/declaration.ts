import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const SPOTIFY = declareSource('spotify', 'Spotify', [
  recordStream({
    name: 'spotify_plays',
    label: 'What you listened to on Spotify',
    detail: 'Songs and podcasts, when and for how long.',
    properties: {
      title: f.TITLE,
      artist: f.ACTOR,
      album: f.PLACE,
      kind: f.oneOf('song', 'podcast', 'audiobook', 'unknown'),
      ended_at: f.EVENT_TIME,
      seconds: { type: ['number', 'null'] },
      platform: f.TEXT,
      country: f.TEXT,
      uri: f.TEXT,
    },
    time: 'ended_at',
    views: {
      plays: {
        label: 'What and when; no devices or places',
        fields: ['title', 'artist', 'album', 'kind', 'ended_at', 'seconds'],
      },
    },
    search: ['title', 'artist', 'album'],
    ranges: ['ended_at', 'seconds'],
    sum: ['seconds'],
    max: ['ended_at', 'seconds'],
    group_by: ['artist', 'album', 'title', 'kind', 'platform', 'country'],
    count_distinct: ['artist', 'title'],
  }),
])
