import type { Page } from 'playwright-core'

export const toDataUrl = (picture: Buffer) => `data:image/png;base64,${picture.toString('base64')}`

/** A PNG as WebP, because PNGs would be too large for a README. @param page any page of a browser */
export async function toWebp(page: Page, picture: Buffer): Promise<Buffer> {
  const data = await page.evaluate(async (source) => {
    const image = new Image()
    image.src = source
    await image.decode()
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: image.width, height: image.height })
    canvas.getContext('2d')?.drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.73)
  }, toDataUrl(picture))
  return Buffer.from(data.split(',')[1] ?? '', 'base64')
}
