/** A picture to recognise: four bytes per pixel for red, green, blue and opacity. */
export interface Picture {
  width: number
  height: number
  data: Uint8ClampedArray
}

/** A picture from PDF.js or a decoder: 1 bit, 1 byte, 3 bytes or 4 bytes per pixel. */
export interface RawPicture {
  width: number
  height: number
  data: Uint8Array | Uint8ClampedArray
}

/** Larger pictures are skipped. An A3 page at 600 dots per inch has 70 million pixels. */
export const MOST_POINTS = 80_000_000
/** Smaller pictures are skipped: they are lines, logos and dots. */
const LEAST_SIDE = 24
/** Larger pictures are halved in resolution. An A4 page at 300 dots per inch has fewer pixels than this. */
const ENOUGH_POINTS = 9_000_000

/** Whether a file is a picture whose text can be recognised, judged by its first bytes. */
export function isPictureHead(head: Uint8Array): boolean {
  return isJpegHead(head) || Buffer.from(head.subarray(0, 8)).equals(PNG_SIGNATURE)
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export function isJpegHead(head: Uint8Array): boolean {
  return head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff
}

export function mayHoldText({ width, height }: { width: number; height: number }): boolean {
  return width >= LEAST_SIDE && height >= LEAST_SIDE && width * height <= MOST_POINTS
}

/** Null if the bytes have another layout. */
export function pictureOf({ width, height, data }: RawPicture): Picture | null {
  const points = width * height
  const colours = new Uint8ClampedArray(points * 4)
  const inRow = Math.ceil(width / 8)
  if (data.length === points * 4) colours.set(data)
  else if (data.length === points * 3) {
    for (let point = 0; point < points; point++) {
      colours[4 * point] = data[3 * point] as number
      colours[4 * point + 1] = data[3 * point + 1] as number
      colours[4 * point + 2] = data[3 * point + 2] as number
      colours[4 * point + 3] = 255
    }
  } else if (data.length === points) {
    for (let point = 0; point < points; point++) paint(colours, point, data[point] as number)
  } else if (data.length === inRow * height) {
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const isWhite = ((data[y * inRow + (x >> 3)] as number) >> (7 - (x & 7))) & 1
        paint(colours, y * width + x, isWhite * 255)
      }
  } else return null
  return { width, height, data: colours }
}

function paint(colours: Uint8ClampedArray, point: number, grey: number): void {
  colours.fill(grey, 4 * point, 4 * point + 3)
  colours[4 * point + 3] = 255
}

/** Rotates clockwise by a multiple of 90 degrees, as the page specifies. */
export function turned(picture: Picture, degrees: number): Picture {
  const quarters = (((degrees / 90) % 4) + 4) % 4
  if (!Number.isInteger(quarters) || quarters === 0) return picture
  const { width, height } = picture
  const [across, down] = quarters === 2 ? [width, height] : [height, width]
  const from = new Uint32Array(picture.data.buffer, picture.data.byteOffset, width * height)
  const to = new Uint32Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [toX, toY] =
        quarters === 1
          ? [height - 1 - y, x]
          : quarters === 2
            ? [width - 1 - x, height - 1 - y]
            : [y, width - 1 - x]
      to[toY * across + toX] = from[y * width + x] as number
    }
  return { width: across, height: down, data: new Uint8ClampedArray(to.buffer) }
}

/** Reduces the resolution to what recognition needs. */
export function enoughOf(picture: Picture): Picture {
  let enough = picture
  while (enough.width * enough.height > ENOUGH_POINTS) enough = halved(enough)
  return enough
}

function halved({ width, height, data }: Picture): Picture {
  const [across, down] = [width >> 1, height >> 1]
  const smaller = new Uint8ClampedArray(across * down * 4)
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++)
      for (let colour = 0; colour < 4; colour++) {
        const at = 4 * (2 * y * width + 2 * x) + colour
        const below = at + 4 * width
        const sum =
          (data[at] as number) +
          (data[at + 4] as number) +
          (data[below] as number) +
          (data[below + 4] as number)
        smaller[4 * (y * across + x) + colour] = sum / 4
      }
  return { width: across, height: down, data: smaller }
}
