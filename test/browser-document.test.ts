import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { AuthorizationWorld } from './authorization-world.ts'
import { isInSight, newProfile, signInOn } from './browser.ts'
import { pdfOf, SUMS } from './made-documents.ts'

const FILLER = Array.from({ length: 45 }, (_, line) => `Line ${line} about rye, salt and water.`).join('\n')
const PAGES = [
  'The title page',
  FILLER,
  `${FILLER}\nThe quetzalcoatlus treaty was signed here.\n${FILLER}`,
  FILLER,
  'The end',
]

type SentFile = { name: string; mimeType: string; buffer: Buffer }

async function importedOn(page: Page, world: AuthorizationWorld, file: SentFile): Promise<void> {
  await page.goto(`${world.url}/import`)
  await signInOn(page, world)
  await page.getByLabel('Choose files, or drop them here').setInputFiles(file)
  await page.getByRole('button', { name: 'See what is in it' }).click()
  await page.getByText('1 record can be imported').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('It finished on').waitFor()
}

test('the citation of a passage on page 3 of an imported PDF opens there, marked and with its page', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await using profile = await newProfile({ viewport: { width: 1280, height: 800 } })
  const page = await profile.newPage()
  await importedOn(page, world, {
    name: 'treaties.pdf',
    mimeType: 'application/pdf',
    buffer: pdfOf(PAGES),
  })

  const found = await world.call('/v1/search?q=quetzalcoatlus%20treaty')
  const [hit] = found.body.data
  assert.match(hit.url, /\/r\/[^/]+\/documents\/[^/]+\?f=text&at=\d+/)
  await page.goto(hit.url)
  const mark = page.locator('mark')
  assert.equal(await mark.textContent(), 'quetzalcoatlus treaty')
  assert.ok(await isInSight(mark), 'the passage is in sight')
  const start = new URL(hit.url).searchParams.get('at')
  await page.getByText(/^page 3 of 5, characters [\d,]+–[\d,]+ of [\d,]+$/).waitFor()
  assert.ok(Number.parseInt(start ?? '', 10) > FILLER.length, 'the link points behind the second page')
  assert.match((await page.locator('main').textContent()) ?? '', /treaties\.pdf/, 'the file is named')
  assert.deepEqual(world.failures, [])
})

test('the citation of a cell on the second sheet of an imported workbook opens there, with the name of the sheet', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await using profile = await newProfile({ viewport: { width: 1280, height: 800 } })
  const page = await profile.newPage()
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  await importedOn(page, world, { name: 'sums.xlsx', mimeType, buffer: SUMS })

  const found = await world.call('/v1/search?q=easter')
  await page.goto(found.body.data[0].url)
  const mark = page.locator('mark')
  assert.equal(await mark.textContent(), 'Easter')
  assert.ok(await isInSight(mark), 'the cell is in sight')
  await page.getByText(/^sheet "Days" \(2 of 2\), characters [\d,]+–[\d,]+ of [\d,]+$/).waitFor()
  assert.deepEqual(world.failures, [])
})
