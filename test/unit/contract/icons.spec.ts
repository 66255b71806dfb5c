import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { iconOf, nodes } from '../../support/built'

const WHITE = /^(?:none|white|#fff|#ffffff)$/i
/** Only shapes: no text, pictures, styles, scripts, animations. */
const SHAPES = ['svg', 'g', 'path', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'rect', 'title']

const seen = new Map<string, string>()

for (const node of nodes) {
  describe(`the icon of ${node.type}`, () => {
    const svg = readFileSync(iconOf(node), 'utf8')
    const opening = svg.match(/^<svg\b[^>]*>/)?.[0] ?? ''
    const attribute = (key: string) => opening.match(new RegExp(`\\s${key}="([^"]*)"`))?.[1]

    it('is an svg of 40 by 60', () => {
      assert.equal(attribute('xmlns'), 'http://www.w3.org/2000/svg')
      assert.equal(attribute('width'), '40')
      assert.equal(attribute('height'), '60')
      assert.equal(attribute('viewBox'), '0 0 40 60')
    })

    it('is white on a transparent background', () => {
      const colours = [...svg.matchAll(/\b(?:fill|stroke|color|stop-color)="([^"]*)"/g)].map(
        ([, value = '']) => value,
      )
      assert.ok(colours.some((colour) => colour !== 'none'))
      assert.deepEqual(
        colours.filter((colour) => !WHITE.test(colour)),
        [],
      )
      assert.doesNotMatch(svg, /\bstyle=|#(?!fff\b|ffffff\b)[0-9a-f]{3}/i)
    })

    it('consists of shapes, without references', () => {
      const elements = [...svg.matchAll(/<([A-Za-z][\w:-]*)/g)].map(([, element = '']) => element)
      assert.deepEqual(
        elements.filter((element) => !SHAPES.includes(element)),
        [],
      )
      assert.doesNotMatch(svg.replace(/xmlns="[^"]*"/, ''), /href|url\(|https?:|data:|\son\w+=|<!|<\?/i)
    })

    it('is used by no other node', () => {
      assert.equal(seen.get(svg), undefined)
      seen.set(svg, node.type)
    })
  })
}
