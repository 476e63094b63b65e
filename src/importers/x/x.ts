import type { Recognise } from '../importer.ts'
import { folderIn, nameIn } from '../reading/attached-files.ts'
import { findingOf, type ItemsOf } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { objectIn, textIn } from '../reading/json-values.ts'
import type { SourceFile } from '../source/source.ts'
import { X } from './declaration.ts'
import { longPostsIn } from './long-posts.ts'
import { conversationEvents, grokEvents, likeEvents, tweetEvents, type XAccount } from './records.ts'

const READ = /^(tweets?|community_tweet|like|direct_messages(_group)?|grok_chat_item)$/
const PART = /^\s*window\.YTD\.(\w+)/

export const recognise: Recognise = async (parts, source) => {
  const [first] = parts
  if (!first) return null
  const kinds = new Map<SourceFile, string>()
  for (const file of parts) kinds.set(file, PART.exec(await headText(file))?.[1] ?? '')
  const read = parts.filter(file => READ.test(kinds.get(file) ?? ''))
  if (read.length === 0) {
    return {
      lookalike: `${first.path} is part of an X archive, but the archive contains no posts, likes or messages.`,
      files: parts,
    }
  }
  const account = await accountIn(parts.find(file => kinds.get(file) === 'account'))
  const media = new Map(source.files.map(file => [nameIn(file.path), file]))
  const root = folderIn(first.path).replace(/data\/$/, '')
  const notes = parts.filter(file => kinds.get(file) === 'note_tweet')
  const begin = async (): Promise<ItemsOf> => {
    const longPosts = await longPostsIn(notes)
    return file =>
      objectItems(listedObjects(file, 'item'), (value, { place }) => {
        const kind = kinds.get(file) ?? ''
        if (kind === 'like') return likeEvents(objectIn(value.like), place)
        if (/^direct/.test(kind)) return conversationEvents(objectIn(value.dmConversation), account, place)
        if (kind === 'grok_chat_item') return grokEvents(objectIn(value.grokChatItem), place)
        return tweetEvents(value, account, place, media, longPosts)
      })
  }
  const shown = source.files.filter(
    ({ path }) => MEDIA.test(path) || (path.startsWith(root) && PAGES.test(path.slice(root.length))),
  )
  return findingOf(X, read, 900, begin, {
    beside: [...shown, ...parts],
    account: account.id,
    name: account.name,
  })
}

const MEDIA = /\/(?:tweets|community_tweet|direct_messages(?:_group)?)_media\//
/** What shows the archive in a browser. */
const PAGES = /^(?:Your archive\.html|data\/manifest\.js|assets\/.+)$/

async function accountIn(file: SourceFile | undefined): Promise<XAccount> {
  if (file) {
    for await (const { value } of listedObjects(file, 'item')) {
      const account = objectIn(value?.account)
      return { id: textIn(account.accountId), name: textIn(account.username) }
    }
  }
  return { id: null, name: null }
}
