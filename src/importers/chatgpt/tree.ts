import { isObject, type JsonObject } from '../../model/json.ts'
import { idsIn } from '../reading/json-values.ts'

/** A message with its position in the tree. */
export interface Placed {
  nodeId: string
  message: JsonObject
  /** The nearest ancestor with a message. */
  parent: string | null
  /** The number of the message, counted from 1 at the start of its branch. */
  position: number
  /** 0 for the branch that ChatGPT shows; the others are numbered in the order of the tree. */
  branch: number
}

/**
 * The messages of a conversation: first the branch that is shown, from its first to its last message, then the others,
 * each after the message where it branches off.
 */
export function placedMessages(mapping: JsonObject, currentNode: string | null): Placed[] {
  const nodes = new Map(
    Object.entries(mapping).filter((entry): entry is [string, JsonObject] => isObject(entry[1])),
  )
  const parents = parentsOf(nodes)
  const children = childrenOf(nodes, parents)
  const leaf =
    currentNode !== null && nodes.has(currentNode) ? currentNode : latestLeaf(nodes, parents, children)
  const shown = new Set(leaf === null ? [] : pathTo(leaf, parents))

  const placed: Placed[] = []
  let branches = 0
  const visited = new Set<string>()
  const roots = [...nodes.keys()].filter(id => parents.get(id) === null)
  interface Step {
    id: string
    above: string | null
    depth: number
    branch: number
  }
  const steps: Step[] = roots
    .reverse()
    .map(id => ({ id, above: null, depth: 0, branch: shown.has(id) ? 0 : -1 }))
  while (steps.length > 0) {
    const step = steps.pop() as Step
    if (visited.has(step.id)) continue
    visited.add(step.id)
    const { message } = nodes.get(step.id) as JsonObject
    const held = isObject(message)
    if (step.branch === -1) step.branch = ++branches
    const depth = step.depth + (held ? 1 : 0)
    if (held)
      placed.push({ nodeId: step.id, message, parent: step.above, position: depth, branch: step.branch })
    const below = children.get(step.id) ?? []
    const above = held ? step.id : step.above
    for (const [index, id] of [...below.entries()].reverse()) {
      const branch = shown.has(id) ? 0 : step.branch > 0 && index === 0 ? step.branch : -1
      steps.push({ id, above, depth, branch })
    }
  }
  return placed.sort((a, b) => Number(a.branch > 0) - Number(b.branch > 0))
}

/** The parent of each node; null for a root. A node with a missing parent, or in a cycle, is also a root. */
function parentsOf(nodes: Map<string, JsonObject>): Map<string, string | null> {
  const parents = new Map<string, string | null>()
  for (const [id, { parent }] of nodes)
    parents.set(id, typeof parent === 'string' && parent !== id && nodes.has(parent) ? parent : null)
  const sound = new Set<string>()
  for (const id of nodes.keys()) {
    const way = new Set<string>()
    let at: string | null = id
    while (at !== null && !sound.has(at)) {
      if (way.has(at)) {
        parents.set(at, null)
        break
      }
      way.add(at)
      at = parents.get(at) ?? null
    }
    for (const seen of way) sound.add(seen)
  }
  return parents
}

/** The children of each node, in the order that the node lists; unlisted ones follow in the order of the file. */
function childrenOf(
  nodes: Map<string, JsonObject>,
  parents: Map<string, string | null>,
): Map<string, string[]> {
  const children = new Map<string, string[]>()
  for (const [id, node] of nodes) {
    const listed = idsIn(node.children)
    children.set(
      id,
      [...new Set(listed)].filter(child => parents.get(child) === id),
    )
  }
  const listed = new Set([...children.values()].flat())
  for (const [id, parent] of parents) {
    if (parent !== null && !listed.has(id)) children.get(parent)?.push(id)
  }
  return children
}

/** If an export does not say which branch is shown, the most recent one is used. */
function latestLeaf(
  nodes: Map<string, JsonObject>,
  parents: Map<string, string | null>,
  children: Map<string, string[]>,
): string | null {
  const times = latestTimes(nodes, parents)
  let best: string | null = null
  let latest = Number.NEGATIVE_INFINITY
  for (const [id] of nodes) {
    if ((children.get(id) ?? []).length > 0) continue
    const time = times.get(id) ?? Number.NEGATIVE_INFINITY
    if (best === null || time >= latest) {
      best = id
      latest = time
    }
  }
  return best
}

/** For each node, the latest time on the path from the root to it. Each node is visited once. */
function latestTimes(
  nodes: Map<string, JsonObject>,
  parents: Map<string, string | null>,
): Map<string, number> {
  const times = new Map<string, number>()
  for (const leaf of nodes.keys()) {
    const unknown: string[] = []
    let at: string | null = leaf
    for (; at !== null && !times.has(at); at = parents.get(at) ?? null) unknown.push(at)
    let latest = (at === null ? undefined : times.get(at)) ?? Number.NEGATIVE_INFINITY
    for (const id of unknown.reverse()) {
      latest = Math.max(latest, timeOf(nodes.get(id)))
      times.set(id, latest)
    }
  }
  return times
}

function timeOf(node: JsonObject | undefined): number {
  const message = node && isObject(node.message) ? node.message : null
  return typeof message?.create_time === 'number' ? message.create_time : Number.NEGATIVE_INFINITY
}

function pathTo(leaf: string, parents: Map<string, string | null>): string[] {
  const path: string[] = []
  for (let at: string | null = leaf; at !== null; at = parents.get(at) ?? null) path.push(at)
  return path
}
