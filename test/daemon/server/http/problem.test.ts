import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createReason, explain } from '../../../../daemon/base/fault-reason.ts';
import { BASE_FAULTS } from '../../../../daemon/base/fault-sentences.ts';
import {
  Conflict,
  GatewayError,
  InvalidRequest,
  NotAuthenticated,
  NotFound,
  NotPermitted,
  TooManyRequests,
  Unavailable,
} from '../../../../daemon/base/errors.ts';
import type { Answer } from '../../../../daemon/server/http/answer.ts';
import { HttpRefusal, toProblemAnswer } from '../../../../daemon/server/http/problem.ts';
import { defineRoute } from '../../../../daemon/server/http/route.ts';
import { noContent } from '../../../../daemon/server/http/answer.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createContext, createRequest } from './request-fixture.ts';

const detail = 'what went wrong';
const notAuthenticated = { code: 'NOT_AUTHENTICATED', detail } as const;
const notPermitted = { code: 'PERMISSION_MISSING', detail } as const;
const notFound = { code: 'ASSET_UNKNOWN', detail } as const;
const tooMany = { code: 'TOO_MANY_FAILED_LOGINS', detail } as const;
const unavailable = { code: 'STREAMS_EXHAUSTED', detail } as const;
const login = defineRoute({
  method: 'POST',
  path: '/login',
  summary: 'Opens a session',
  access: 'PUBLIC',
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
    [new InvalidRequest({ code: 'BODY_INVALID', detail }), 400],
    [new NotAuthenticated(notAuthenticated), 401],
    [new NotPermitted(notPermitted), 403],
    [new NotFound(notFound), 404],
    [new Conflict({ code: 'ASSET_EXISTS', detail }), 409],
    [new TooManyRequests({ ...tooMany, retryAfterSeconds: 3 }), 429],
    [new Unavailable({ ...unavailable, retryAfterSeconds: 3 }), 503],
    [new HttpRefusal({ code: 'HOST_UNKNOWN', detail, status: 421 }), 421],
  ] as const;
  for (const [error, status] of errors) {
    const answer = answerTo(error);
    assert.deepEqual(
      [answer.status, answer.json, answer.lines],
      [status, '{"message":"what went wrong"}', 0],
    );
  }
});

test('codes and values of the sentences of an error are for clients that prefer them', () => {
  const reason = createReason(BASE_FAULTS, 'USED_TWICE', { name: 'line' });
  const error = new InvalidRequest({ code: 'BODY_INVALID', ...explain(reason) });
  assert.equal(answerTo(error).json, '{"message":"\\"line\\" is used twice"}');
  const { json } = answerTo(error, [], { request: createRequest({ prefer: 'wait=5, Error-Reasons' }) });
  assert.deepEqual(JSON.parse(String(json)), {
    message: '"line" is used twice',
    reasons: [{ code: 'USED_TWICE', parameters: { name: 'line' } }],
  });
});

test('toProblemAnswer sets Retry-After', () => {
  assert.deepEqual(answerTo(new Unavailable({ ...unavailable, retryAfterSeconds: 7 })).headers, {
    'Retry-After': '7',
    'Penstock-Error': unavailable.code,
  });
  assert.deepEqual(answerTo(new TooManyRequests({ ...tooMany, retryAfterSeconds: 8 })).headers, {
    'Retry-After': '8',
    'Penstock-Error': tooMany.code,
  });
});

test('toProblemAnswer challenges only on 401, in the given order', () => {
  const challenges = ['Basic realm="penstock"', 'Bearer'];
  assert.deepEqual(answerTo(new NotAuthenticated(notAuthenticated), challenges).headers, {
    'WWW-Authenticate': challenges,
  });
  assert.deepEqual(answerTo(new NotPermitted(notPermitted), challenges).headers, {
    'Penstock-Error': notPermitted.code,
  });
  assert.deepEqual(answerTo(new NotFound(notFound), challenges).headers, { 'Penstock-Error': notFound.code });
});

test('toProblemAnswer sends no challenge if none is configured, and none at a login endpoint', () => {
  assert.deepEqual(answerTo(new NotAuthenticated(notAuthenticated), []).headers, {});
  assert.deepEqual(
    answerTo(new NotAuthenticated(notAuthenticated), ['Bearer'], { endpoint: login }).headers,
    {},
  );
});

test('toProblemAnswer answers an unexpected error with 500 and the id in the log, without its text', () => {
  const secrets = [
    new TypeError('reading /etc/penstock/key'),
    new GatewayError({ code: 'STORE_DAMAGED', detail: 'key' }),
    'key thrown as text',
    undefined,
    null,
  ];
  for (const error of secrets) {
    const logger = createMemoryLogger();
    const answer = toProblemAnswer(error, createContext(), { logger, challenges: () => [] });
    assert.equal(answer.status, 500);
    assert.equal(answer.json, '{"message":"internal error; search the log for request request-1"}');
    assert.deepEqual(
      logger.lines.map(({ level, fields }) => [level, fields['requestId'], fields['error']]),
      [['error', 'request-1', error]],
    );
  }
});
