import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  Conflict,
  GatewayError,
  InvalidRequest,
  NotAuthenticated,
  NotFound,
  NotPermitted,
  TooManyRequests,
  Unavailable,
} from '../../../daemon/base/errors.ts';
import type { Answer } from '../../../daemon/http/answer.ts';
import { HttpRefusal, toProblemAnswer } from '../../../daemon/http/problem.ts';
import { defineRoute } from '../../../daemon/http/route.ts';
import { noContent } from '../../../daemon/http/answer.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createContext } from './request-fixture.ts';

const text = { code: 'SOME_CODE', detail: 'what went wrong' };
const login = defineRoute({
  method: 'POST',
  path: '/login',
  summary: 'Opens a session',
  access: 'ANYBODY',
  isLogin: true,
  response: { status: 204 },
  handle: () => noContent(),
});

function answerTo(
  error: unknown,
  challenges: readonly string[] = [],
  context = {},
): Answer & { lines: number } {
  const logger = createMemoryLogger();
  const answer = toProblemAnswer(error, createContext({}, context), { logger, challenges: () => challenges });
  return { ...answer, lines: logger.lines.length };
}

test('toProblemAnswer maps each class of errors to its status, and shows only its detail', () => {
  const errors = [
    [new InvalidRequest(text), 400],
    [new NotAuthenticated(text), 401],
    [new NotPermitted(text), 403],
    [new NotFound(text), 404],
    [new Conflict(text), 409],
    [new TooManyRequests({ ...text, retryAfterSeconds: 3 }), 429],
    [new Unavailable({ ...text, retryAfterSeconds: 3 }), 503],
    [new HttpRefusal({ ...text, status: 418 }), 418],
  ] as const;
  for (const [error, status] of errors) {
    const answer = answerTo(error);
    assert.deepEqual(
      [answer.status, answer.json, answer.lines],
      [status, '{"message":"what went wrong"}', 0],
    );
  }
});

test('toProblemAnswer sets Retry-After', () => {
  assert.deepEqual(answerTo(new Unavailable({ ...text, retryAfterSeconds: 7 })).headers, {
    'Retry-After': '7',
  });
  assert.deepEqual(answerTo(new TooManyRequests({ ...text, retryAfterSeconds: 8 })).headers, {
    'Retry-After': '8',
  });
});

test('toProblemAnswer challenges only on 401, in the given order', () => {
  const challenges = ['Basic realm="penstock"', 'Bearer'];
  assert.deepEqual(answerTo(new NotAuthenticated(text), challenges).headers, {
    'WWW-Authenticate': challenges,
  });
  assert.deepEqual(answerTo(new NotPermitted(text), challenges).headers, {});
  assert.deepEqual(answerTo(new NotFound(text), challenges).headers, {});
});

test('toProblemAnswer sends no challenge if none is configured, and none at a login endpoint', () => {
  assert.deepEqual(answerTo(new NotAuthenticated(text), []).headers, {});
  assert.deepEqual(answerTo(new NotAuthenticated(text), ['Bearer'], { endpoint: login }).headers, {});
});

test('toProblemAnswer answers an unexpected error with 500 and the id in the log, without its text', () => {
  const secrets = [
    new TypeError('reading /etc/penstock/key'),
    new GatewayError({ code: 'NO_STATUS', detail: 'key' }),
    'key thrown as text',
    undefined,
    null,
  ];
  for (const error of secrets) {
    const logger = createMemoryLogger();
    const answer = toProblemAnswer(error, createContext(), { logger, challenges: () => [] });
    assert.equal(answer.status, 500);
    assert.equal(answer.json, '{"message":"unexpected error; the log names it under request-1"}');
    assert.deepEqual(
      logger.lines.map(({ level, fields }) => [level, fields['requestId'], fields['error']]),
      [['error', 'request-1', error]],
    );
  }
});
