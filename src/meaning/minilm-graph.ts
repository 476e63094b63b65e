import { ELEMENT, OnnxGraph, type Weights } from './onnx-file.ts'
import type { Tensors } from './safetensors.ts'

interface Shape {
  layers: number
  heads: number
  width: number
  /** The smallest variance. */
  epsilon: number
}

const CONTRIBUTED = 'com.microsoft'
/** The largest absolute value of a weight. */
const LARGEST = 63

/**
 * The BERT encoder as an ONNX graph: the input is the numbers of the pieces and their positions, the output is the mean
 * of the last layer. It processes one text at a time, so that a vector depends only on its own text. The large products
 * use integers: their weights have 7 bits, because sums of two 8-bit products overflow on older processors.
 */
export function encoderGraph(tensors: Tensors, { layers, heads, width, epsilon }: Shape): Uint8Array {
  const graph = new OnnxGraph()
  const node = graph.node.bind(graph)
  const list = (...values: number[]) =>
    graph.weights({
      type: ELEMENT.int64,
      shape: [values.length],
      bytes: bytesOf(BigInt64Array.from(values, BigInt)),
    })
  const floats = (values: Float32Array, ...shape: number[]) =>
    graph.weights({ type: ELEMENT.float, shape, bytes: bytesOf(values) })
  const vector = (name: string) => {
    const values = tensors.floats(name)
    return floats(values, values.length)
  }
  const normalised = (input: string, name: string) =>
    node(
      'LayerNormalization',
      [input, vector(`${name}.LayerNorm.weight`), vector(`${name}.LayerNorm.bias`)],
      { axis: { int: -1 }, epsilon: { float: epsilon } },
    )
  const dense = (input: string, names: readonly string[]) => {
    const { values, scales, columns } = quantised(
      names.map(name => tensors.floats(`${name}.weight`)),
      names,
      tensors,
    )
    const bias = joined(names.map(name => tensors.floats(`${name}.bias`)))
    const weights: Weights = {
      type: ELEMENT.int8,
      shape: [values.length / columns, columns],
      bytes: bytesOf(values),
    }
    const zero = graph.weights({ type: ELEMENT.int8, shape: [columns], bytes: new Uint8Array(columns) })
    return node(
      'DynamicQuantizeMatMul',
      [input, graph.weights(weights), floats(scales, columns), zero, floats(bias, columns)],
      {},
      CONTRIBUTED,
    )
  }

  const pieces = graph.input('pieces', ELEMENT.int64, [1, 'n'])
  const places = graph.input('places', ELEMENT.int64, [1, 'n'])
  const words = node(
    'Cast',
    [node('Gather', [graph.weights(tensors.raw('embeddings.word_embeddings.weight')), pieces])],
    { to: { int: ELEMENT.float } },
  )
  const positions = node('Gather', [
    floats(
      tensors.floats('embeddings.position_embeddings.weight'),
      ...tensors.shape('embeddings.position_embeddings.weight'),
    ),
    places,
  ])
  const kind = floats(tensors.floats('embeddings.token_type_embeddings.weight').slice(0, width), width)
  let state = normalised(node('Add', [node('Add', [words, positions]), kind]), 'embeddings')
  const apart = list(1, -1, 3, heads, width / heads)
  const together = list(1, -1, width)
  const root = floats(Float32Array.of(Math.sqrt(width / heads)), 1)
  for (let layer = 0; layer < layers; layer++) {
    const name = `encoder.layer.${layer}`
    const own = `${name}.attention.self`
    const all = node('Reshape', [dense(state, [`${own}.query`, `${own}.key`, `${own}.value`]), apart])
    const part = (index: number, order: readonly number[]) =>
      node(
        'Transpose',
        [node('Squeeze', [node('Gather', [all, list(index)], { axis: { int: 2 } }), list(2)])],
        { perm: { ints: order } },
      )
    const scores = node('Div', [node('MatMul', [part(0, [0, 2, 1, 3]), part(1, [0, 2, 3, 1])]), root])
    const mixed = node('MatMul', [node('Softmax', [scores], { axis: { int: -1 } }), part(2, [0, 2, 1, 3])])
    const attended = node('Reshape', [node('Transpose', [mixed], { perm: { ints: [0, 2, 1, 3] } }), together])
    const output = dense(attended, [`${name}.attention.output.dense`])
    state = normalised(node('Add', [output, state]), `${name}.attention.output`)
    const inner = node('Gelu', [dense(state, [`${name}.intermediate.dense`])], {}, CONTRIBUTED)
    state = normalised(node('Add', [dense(inner, [`${name}.output.dense`]), state]), `${name}.output`)
  }
  const mean = node('ReduceMean', [state], { axes: { ints: [1] }, keepdims: { int: 0 } })
  graph.output(mean, ELEMENT.float, [1, width])
  return graph.bytes({ '': 17, [CONTRIBUTED]: 1 })
}

/**
 * Weights of one or more products with the same input, side by side and transposed, as integers with a scale per
 * column.
 */
function quantised(parts: readonly Float32Array[], names: readonly string[], tensors: Tensors) {
  const shapes = names.map(name => tensors.shape(`${name}.weight`))
  const rows = shapes[0]?.[1] ?? 0
  const columns = shapes.reduce((sum, [out = 0]) => sum + out, 0)
  const values = new Int8Array(rows * columns)
  const scales = new Float32Array(columns)
  let column = 0
  for (const [i, part] of parts.entries())
    for (let out = 0; out < (shapes[i]?.[0] ?? 0); out++, column++) {
      const line = part.subarray(out * rows, (out + 1) * rows)
      let largest = 0
      for (let row = 0; row < rows; row++) largest = Math.max(largest, Math.abs(line[row] ?? 0))
      const scale = largest / LARGEST || 1
      scales[column] = scale
      for (let row = 0; row < rows; row++)
        values[row * columns + column] = Math.round((line[row] ?? 0) / scale)
    }
  return { values, scales, columns }
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
