import { ELEMENT, type Weights } from './onnx-file.ts'

/** A file of weights in half precision: the length of a JSON header, the header, then the numbers. */
export class Tensors {
  readonly #header: Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>
  readonly #data: Uint8Array

  constructor(file: Uint8Array) {
    const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true))
    this.#header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)))
    this.#data = file.subarray(8 + length)
  }

  shape(name: string): number[] {
    return this.#entry(name).shape
  }

  /** The numbers as they are in the file. */
  raw(name: string): Weights {
    const { dtype, shape, data_offsets } = this.#entry(name)
    if (dtype !== 'F16') throw new Error(`The weights ${name} are ${dtype}, not F16.`)
    return { type: ELEMENT.half, shape, bytes: this.#data.subarray(...data_offsets) }
  }

  floats(name: string): Float32Array {
    const { bytes } = this.raw(name)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const values = new Float32Array(bytes.length / 2)
    for (let i = 0; i < values.length; i++) values[i] = half(view.getUint16(i * 2, true))
    return values
  }

  #entry(name: string) {
    const entry = this.#header[name]
    if (!entry) throw new Error(`The file has no weights ${name}.`)
    return entry
  }
}

/** Converts a half-precision number: sign, 5 bits of exponent, 10 bits of fraction. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}
