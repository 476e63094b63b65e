import assert from 'node:assert/strict'
import { test } from 'node:test'
import iconv from 'iconv-lite'
import { likelyCharset } from './legacy-charset.ts'

const TEXTS: Record<string, string[]> = {
  shift_jis: [
    'これは日本語のメールです。よろしくお願いします。',
    '日付,内容,お支払金額,お預り金額,残高\n2026/1/5,ＡＴＭ,"10,000",,"123,456"\n2026/1/6,ｶ)ﾏﾙﾍﾞﾆ,,"3","4"\n',
  ],
  'euc-jp': ['これは日本語のメールです。', 'プロトコルの説明'],
  'euc-kr': ['안녕하세요. 한국어 메일입니다.', '거래일,적요,출금액,입금액,잔액'],
  gb18030: [
    '你好，这是一封中文邮件。',
    '交易时间,交易类型,商品说明,收/付款方式,金额,当前状态\n2026-01-05,消费,咖啡,零钱,9.00,成功\n',
  ],
  big5: ['顏氏家訓，夫九州之人，言語不同，生民已來，固常然矣。'],
  'windows-1251': [
    'Здравствуйте, это письмо на русском языке.',
    'Дата операции;Сумма;Категория\n',
    'ПРИВЕТ, МИР И ВСЕ, КТО ЗДЕСЬ; пишите нам чаще',
  ],
  'koi8-r': ['Здравствуйте, это письмо на русском языке.', 'Сообщение об ошибке'],
  'windows-1250': ['Żywność, wpływy i opłata za usługę', 'była zima', '"Żywność";-23\n"Wpływy";5\n'],
  'windows-1252': [
    'Grüße aus Köln, Straße 5, Größe: ÄÖÜ',
    'ÄÖÜ ÄÖÜSS',
    'Été créée à Besançon, où l’œuvre naïve plaît',
    'El niño comió piñón y después salió; ¿qué pasó?',
    'Hyvää päivää, mitä kuuluu? Ääliö älä lyö, ööliä läikkyy',
    'Århus, Ærø og Øresund på en blå ø',
    'São João não é só coração e pães',
    'Þetta er íslenska með ð og þ: æ, ö',
    '“Quoted” – 5 € ™ m³ 2² ½',
    '500 £',
  ],
}

test('the charset of a text that names none is found by its bytes, also if only its beginning is known', () => {
  for (const [charset, texts] of Object.entries(TEXTS)) {
    for (const text of texts) {
      const bytes = iconv.encode(text, charset)
      assert.equal(likelyCharset(bytes), charset, text)
      assert.equal(
        likelyCharset(iconv.encode(`Plain text.\n${text}\n`.repeat(2_000), charset)),
        charset,
        text,
      )
      if (bytes.length < 24) continue
      for (let end = bytes.length - 3; end < bytes.length; end++)
        assert.equal(likelyCharset(bytes.subarray(0, end)), charset, `${text}, ${end} bytes`)
    }
  }
})

test('a few letters are not taken for those of another alphabet', () => {
  for (const text of ['attachment.äöü', 'hyvää', 'ÄÖÜ', 'é', 'ß üü'])
    assert.equal(likelyCharset(iconv.encode(text, 'windows-1252')), 'windows-1252', text)
})
