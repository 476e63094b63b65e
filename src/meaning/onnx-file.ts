/*
 * Writes the few parts of the ONNX format (a protocol buffer) that a model needs: nodes, attributes, weights, inputs and
 * outputs.
 */

type Part = Uint8Array

const encoder = new TextEncoder()

function varint(value: number): Part {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 127n)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 128 : low)
  } while (rest > 0n)
  return Uint8Array.from(bytes)
}

const number = (field: number, value: number): Part[] => [varint(field * 8), varint(value)]
const float = (field: number, value: number): Part[] => [
  varint(field * 8 + 5),
  new Uint8Array(Float32Array.of(value).buffer),
]
const bytes = (field: number, value: Part): Part[] => [varint(field * 8 + 2), varint(value.length), value]
const text = (field: number, value: string): Part[] => bytes(field, encoder.encode(value))
const message = (field: number, parts: readonly Part[]): Part[] => {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return [varint(field * 8 + 2), varint(length), ...parts]
}

export const ELEMENT = { float: 1, uint8: 2, int8: 3, int64: 7, half: 10 } as const

type Attribute = { int: number } | { float: number } | { ints: readonly number[] }

export interface Weights {
  type: (typeof ELEMENT)[keyof typeof ELEMENT]
  shape: readonly number[]
  bytes: Uint8Array
}

/** A graph under construction. Weights are written without copying them. */
export class OnnxGraph {
  readonly #nodes: Part[] = []
  readonly #weights: Part[] = []
  readonly #inputs: Part[] = []
  readonly #outputs: Part[] = []
  #names = 0

  /** Adds an operation and returns the name of its result; several names for an operation with several results. */
  node(
    operation: string,
    inputs: readonly string[],
    attributes: Record<string, Attribute> = {},
    domain = '',
  ): string {
    const output = `n${this.#names++}`
    const parts = [
      ...inputs.flatMap(input => text(1, input)),
      ...text(2, output),
      ...text(4, operation),
      ...Object.entries(attributes).flatMap(([name, value]) => message(5, attribute(name, value))),
      ...(domain === '' ? [] : text(7, domain)),
    ]
    this.#nodes.push(...message(1, parts))
    return output
  }

  weights({ type, shape, bytes: raw }: Weights): string {
    const name = `w${this.#names++}`
    const parts = [
      ...shape.flatMap(size => number(1, size)),
      ...number(2, type),
      ...text(8, name),
      ...bytes(9, raw),
    ]
    this.#weights.push(...message(5, parts))
    return name
  }

  input(name: string, type: Weights['type'], shape: readonly (number | string)[]): string {
    this.#inputs.push(...message(11, valueInfo(name, type, shape)))
    return name
  }

  output(name: string, type: Weights['type'], shape: readonly (number | string)[]): void {
    this.#outputs.push(...message(12, valueInfo(name, type, shape)))
  }

  /** The content of the file. */
  bytes(operators: Readonly<Record<string, number>>): Uint8Array {
    const graph = [...this.#nodes, ...text(2, 'g'), ...this.#weights, ...this.#inputs, ...this.#outputs]
    const sets = Object.entries(operators).flatMap(([domain, version]) =>
      message(8, [...text(1, domain), ...number(2, version)]),
    )
    return Buffer.concat([...number(1, 8), ...sets, ...message(7, graph)])
  }
}

function attribute(name: string, value: Attribute): Part[] {
  if ('int' in value) return [...text(1, name), ...number(3, value.int), ...number(20, 2)]
  if ('float' in value) return [...text(1, name), ...float(2, value.float), ...number(20, 1)]
  return [...text(1, name), ...value.ints.flatMap(int => number(8, int)), ...number(20, 7)]
}

function valueInfo(name: string, type: number, shape: readonly (number | string)[]): Part[] {
  const sizes = shape.flatMap(size => message(1, typeof size === 'number' ? number(1, size) : text(2, size)))
  return [...text(1, name), ...message(2, message(1, [...number(1, type), ...message(2, sizes)]))]
}
