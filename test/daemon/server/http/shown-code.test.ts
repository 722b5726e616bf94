import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { NotFound, NotShown } from '../../../../daemon/base/errors.ts';
import { GERMAN_MESSAGES } from '../../../../daemon/console/text/gateway/gateway-messages.ts';
import { HttpRefusal, toProblemAnswer } from '../../../../daemon/server/http/problem.ts';
import { ERROR_HEADER, findShownCode, SHOWN_CODES } from '../../../../daemon/server/http/shown-code.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createContext } from './request-fixture.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const sources = globSync('{daemon,drivers}/**/*.ts', { cwd: ROOT })
  .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  .join('\n');

type Code = ConstructorParameters<typeof NotFound>[0]['code'];

/** Errors in the sources: code, and detail as it is written. */
const thrown = [
  ...sources.matchAll(
    /code: '([A-Z_]+)',\s*(?:detail: ('[^']*'|`[^`]*`|\w+\([^()]*\))|\.\.\.explain\(createReason\((\w+, '\w+'))/g,
  ),
].map(([, code = '', detail = '', sentence = detail]) => ({ code: code as Code, detail: sentence }));

test('the header has the code of an error that clients may see, and of no other', () => {
  const options = { logger: createMemoryLogger(), challenges: () => [] };
  const headersOf = (code: Code): unknown =>
    toProblemAnswer(new NotFound({ code, detail: 'x' }), createContext(), options).headers;
  assert.deepEqual(headersOf('DRIVER_UNKNOWN'), { [ERROR_HEADER]: 'DRIVER_UNKNOWN' });
  assert.deepEqual(headersOf('PATH_UNKNOWN'), {});
});

test('the header has every code of a device or server that failed', () => {
  const options = { logger: createMemoryLogger(), challenges: () => [] };
  const error = new HttpRefusal({ status: 502, code: 'OPCUA_CONNECT_FAILED', detail: 'x' });
  const { headers } = toProblemAnswer(error, createContext(), options);
  assert.deepEqual(headers, { [ERROR_HEADER]: 'OPCUA_CONNECT_FAILED' });
});

test('what must stay hidden has the answer of what does not exist', () => {
  const options = { logger: createMemoryLogger(), challenges: () => [] };
  const detail = 'unknown asset "boiler"';
  assert.deepEqual(
    toProblemAnswer(new NotShown({ code: 'ASSET_NOT_GRANTED', detail }), createContext(), options),
    toProblemAnswer(new NotFound({ code: 'ASSET_UNKNOWN', detail }), createContext(), options),
  );
  const hidden = [...sources.matchAll(/new NotShown\(\{ code: '([A-Z_]+)'/g)].map(
    ([, code = '']) => code as Code,
  );
  assert.deepEqual([...new Set(hidden)], ['ASSET_NOT_GRANTED']);
});

test('errors with the same message have the same code in the header, or none', () => {
  assert.ok(thrown.length > 130);
  const byDetail = Map.groupBy(thrown, ({ detail }) => detail);
  const different = [...byDetail].filter(([, errors]) => new Set(errors.map(findShownCode)).size > 1);
  assert.deepEqual(different, []);
});

test('every code in the header has a German sentence, and no other code has one', () => {
  assert.deepEqual(Object.keys(GERMAN_MESSAGES).toSorted(), [...SHOWN_CODES].toSorted());
  for (const sentence of Object.values(GERMAN_MESSAGES)) assert.match(sentence, /^\p{Lu}[^"”]*\.$/u);
});
