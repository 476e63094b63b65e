import type { Json, JsonObject } from '../../model/json.ts'
import { idsIn, objectIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import { timesAt } from '../times.ts'
import { type Names, renderMarkup } from './markup.ts'

type ChannelKind = 'public' | 'private' | 'direct' | 'group' | 'unknown'

export interface Channel {
  id: string
  name: string
  kind: ChannelKind
  /** The folder that holds its messages. */
  folder: string
}

const KINDS: Record<string, ChannelKind> = {
  'channels.json': 'public',
  'groups.json': 'private',
  'dms.json': 'direct',
  'mpims.json': 'group',
}

/** It writes messages, but is in no list of users. */
const SLACKBOT = { name: 'Slackbot', zone: null, isBot: true }

/** Names of people and channels by id, and the time zones of people. */
export class Directory {
  readonly #users = new Map<string, { name: string; zone: string | null; isBot: boolean }>()
  readonly #channels = new Map<string, Channel>()
  readonly #folders = new Map<string, Channel>()
  readonly names: Names = {
    user: id => this.user(id)?.name ?? null,
    channel: id => this.channel(id)?.name ?? null,
  }

  addUser(user: JsonObject): void {
    const id = text(user.id)
    if (id === null) return
    const name = nameOfUser(user)
    this.#users.set(id, { name, zone: text(user.tz), isBot: user.is_bot === true })
  }

  /** Null for a former member or a guest of a shared channel; then the message itself contains the name. */
  user(id: string) {
    return this.#users.get(id) ?? (id === 'USLACKBOT' ? SLACKBOT : null)
  }

  addChannel(channel: JsonObject, list: string): void {
    const known = this.channelIn(channel, list)
    if (known === null) return
    this.#channels.set(known.id, known)
    this.#folders.set(known.folder, known)
  }

  /** A channel as a list describes it; null if it has no id. */
  channelIn(channel: JsonObject, list: string): Channel | null {
    const id = text(channel.id)
    if (id === null) return null
    const kind = KINDS[list] ?? 'unknown'
    const members = idsIn(channel.members)
    const people = members.map(member => this.#users.get(member)?.name ?? member).join(', ')
    const written = text(channel.name)
    const name = kind === 'direct' || kind === 'group' ? people || written || id : (written ?? id)
    const folder = kind === 'direct' ? id : (written ?? id)
    return { id, name, kind, folder }
  }

  channel(id: string): Channel | null {
    return this.#channels.get(id) ?? null
  }

  channelOfFolder(folder: string): Channel | null {
    return this.#folders.get(folder) ?? this.#channels.get(folder) ?? null
  }
}

function nameOfUser(user: JsonObject): string {
  const profile = objectIn(user.profile)
  const names = [profile.display_name, profile.real_name, user.real_name, user.name, user.id]
  return names.map(text).find(name => name !== null) ?? 'unknown'
}

export function userRecord(user: JsonObject, key: string): JsonObject {
  const profile = objectIn(user.profile)
  return {
    id: key,
    name: nameOfUser(user),
    handle: text(user.name),
    real_name: text(profile.real_name) ?? text(user.real_name),
    title: text(profile.title),
    email: text(profile.email),
    phone: text(profile.phone),
    time_zone: text(user.tz),
    is_bot: user.is_bot === true,
    is_admin: user.is_admin === true,
    is_deleted: user.deleted === true,
    updated_at: secondsToTime(user.updated),
    source_id: String(user.id),
  }
}

export function channelRecord(
  channel: JsonObject,
  known: Channel,
  key: string,
  directory: Directory,
): JsonObject {
  const members = idsIn(channel.members)
  const creator = text(channel.creator)
  const about = (value: Json | undefined) => {
    const written = text(objectIn(value).value)
    return written === null ? null : renderMarkup(written, directory.names).text
  }
  return {
    id: key,
    name: known.name,
    kind: known.kind,
    topic: about(channel.topic),
    purpose: about(channel.purpose),
    creator: creator === null ? null : (directory.user(creator)?.name ?? creator),
    created_at: secondsToTime(channel.created),
    members: members.map(member => directory.user(member)?.name ?? member),
    member_count: members.length,
    is_archived: channel.is_archived === true,
    source_id: known.id,
  }
}

function secondsToTime(value: Json | undefined): string | null {
  const seconds = typeof value === 'string' ? Number(value) : value
  if (typeof seconds !== 'number' || !(seconds > 0)) return null
  return timesAt(Math.trunc(seconds * 1000), 0)?.utc ?? null
}

export function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

export function userKey(id: string): string {
  return recordIdOf('slack user', id)
}

export function channelKey(id: string): string {
  return recordIdOf('slack channel', id)
}
