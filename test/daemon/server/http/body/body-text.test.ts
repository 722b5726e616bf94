import assert from 'node:assert/strict';
import { test } from 'node:test';

import { InvalidRequest } from '../../../../../daemon/base/errors.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import type { Slices } from '../../../../../daemon/base/slices.ts';
import {
  decodeText,
  findRefusedEscapes,
  isFound,
  joinText,
} from '../../../../../daemon/server/http/body/body-text.ts';
import { digest, digestPieces } from '../../../../../daemon/server/http/idempotent-requests.ts';
import { parseJson } from '../../../../../daemon/server/http/body/json-body.ts';

const TEXTS = ['', 'a', 'ä', '\u{feff}ä\u{feff}', '\u{feff}\u{feff}', '12€ and 𝄞𝄞', '€€€€', '𝄞'];

/** Cuts a body into pieces of this many bytes. */
function cut(bytes: Buffer, length: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
}

function countTurns(work: Slices<unknown>): number {
  let turns = 0;
  while (work.next().done !== true) turns += 1;
  return turns;
}

test('a body in pieces has the text that it has as a whole, wherever it is cut', () => {
  for (const text of TEXTS) {
    const bytes = Buffer.from(text);
    const expected = new TextDecoder().decode(bytes);
    for (let length = 1; length <= bytes.length + 1; length += 1)
      for (const found of [decodeText(cut(bytes, length)), joinText(cut(bytes, length))])
        assert.equal(finish<Buffer | string>(found).toString(), expected, `${text} in pieces of ${length}`);
  }
});

test('a body that is not UTF-8 is refused, wherever it is cut', () => {
  for (const hex of [
    'ff',
    '61c3',
    'c328',
    'e282',
    '6180',
    '80808080',
    'f09d84',
    'eda080',
    'c3a4c3',
    'e28261',
  ]) {
    const bytes = Buffer.from(hex, 'hex');
    for (let length = 1; length <= bytes.length; length += 1) {
      for (const read of [decodeText, joinText]) {
        assert.throws(
          () => finish<Buffer | string>(read(cut(bytes, length))),
          (error) => error instanceof InvalidRequest && error.code === 'BODY_NOT_UTF8',
          `${hex} in pieces of ${length}`,
        );
      }
    }
  }
});

test('others have their turn after each received piece of a body, and while its text is searched', () => {
  const pieces = cut(Buffer.from('x'.repeat(1_000_000)), 10_000);
  assert.equal(countTurns(decodeText(pieces)), 100);
  assert.equal(countTurns(digestPieces(pieces)), 100);
  assert.equal(countTurns(joinText(pieces)), 100);
  const text = Buffer.from('x'.repeat(1_000_000));
  assert.equal(countTurns(isFound(text, /y/, 1)), 16);
  assert.equal(countTurns(findRefusedEscapes(text)), 16);
  assert.ok(countTurns(findRefusedEscapes(Buffer.from(String.raw`\u0000`.repeat(10_000)))) >= 10);
  // One turn for each piece, for each part that is searched for escapes, counted and searched for long numbers.
  assert.ok(countTurns(parseJson(cut(Buffer.from(`["${'x'.repeat(1_000_000)}"]`), 10_000))) >= 100 + 3 * 16);
});

test('a body in pieces has the digest that it has as a whole', () => {
  const bytes = Buffer.from('12€ and 𝄞𝄞');
  for (const length of [1, 3, 100])
    assert.deepEqual(finish(digestPieces(cut(bytes, length))), {
      digest: digest(bytes),
      bytes: bytes.length,
    });
});

test('what is searched is found across the parts of the search', () => {
  for (let at = 65_530; at < 65_542; at += 1)
    assert.ok(
      finish(isFound(Buffer.from(`${'x'.repeat(at)}\\u0000${'x'.repeat(9)}`), /\\u0000/, 6)),
      String(at),
    );
  const number = '12345678901234567890';
  for (const start of [65_510, 65_520, 65_530, 65_535])
    assert.deepEqual(finish(parseJson([Buffer.from(`["${'x'.repeat(start)}",${number}]`)])), [
      'x'.repeat(start),
      BigInt(number),
    ]);
});
