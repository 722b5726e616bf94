import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { AuditReport } from '../../../../daemon/security/audit/audit-event.ts';
import type { AuditAnnotation } from '../../../../daemon/security/audit/audit-annotation.ts';
import { InvalidRequest, NotAuthenticated, NotPermitted } from '../../../../daemon/base/errors.ts';
import type { Identity, Principal } from '../../../../daemon/security/identity/identity.ts';
import { createAuditTrail } from '../../../../daemon/server/http/audit-trail.ts';
import { noteChannelWrite } from '../../../../daemon/server/rest/plant/channel-write-note.ts';
import type { RequestContext } from '../../../../daemon/server/http/request-context.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createChannel } from '../../plant/asset/channel-fixture.ts';
import { createRoute } from './application-fixture.ts';
import { createContext } from './request-fixture.ts';

const scada: Identity = {
  id: '1',
  name: 'scada',
  permissions: [],
  passwordChangeNeeded: false,
  credentialsRevision: 1,
  createdAtMs: 0,
};
const principal: Principal = { identity: scada, method: 'session' };
const identities = { find: (name: string) => (name === scada.name ? scada : undefined) };

const loginRoute = {
  ...createRoute({ method: 'POST', path: '/services/session/v1/login/password' }),
  audit: 'LOGIN',
  isLogin: true,
} as const;
const writeRoute = {
  ...createRoute({ method: 'POST', path: '/services/assets/:pid/_write', access: 'rest.assets' }),
  audit: 'CHANNEL_WRITE',
  auditOfTrial: 'CHANNEL_WRITE_TRIED',
} as const;
const tokenRoute = createRoute({
  path: '/services/session/v1/xsrfToken',
  access: 'ANY_IDENTITY',
  isSessionQuery: true,
  isXsrfExempt: true,
});
const identityRoute = createRoute({
  path: '/services/session/v1/currentIdentity',
  access: 'ANY_IDENTITY',
  isSessionQuery: true,
});
const readRoute = createRoute({ path: '/services/assets/:pid/_read', access: 'rest.assets' });

interface Request {
  readonly headers?: Record<string, string>;
  readonly changes: Partial<RequestContext>;
  readonly status: number;
  readonly error?: unknown;
  readonly isByCertificate?: boolean;
}

const trail = (records: AuditReport[] = [], isByCertificate = false) =>
  createAuditTrail({
    audit: {
      announce: () => Promise.resolve({ id: 1 }),
      record: (report) => records.push(report),
      settle: () => undefined,
      whenStored: () => undefined,
    },
    identities,
    rest: () => ({ statelessCertificateAuthenticationEnabled: isByCertificate }),
    logger: createMemoryLogger(),
    monotonicMs: () => 0,
  });

/** Records one request in its own trail. */
function record({ headers = {}, changes, status, error, isByCertificate }: Request): readonly AuditReport[] {
  const records: AuditReport[] = [];
  void trail(records, isByCertificate).recordAnswer({ ...createContext(headers), ...changes }, status, error);
  return records;
}

function recordOne(request: Request): AuditReport {
  const [only, ...others] = record(request);
  assert.ok(only);
  assert.deepEqual(others, []);
  return only;
}

test('a login is recorded with identity, method, address, request and path', () => {
  const auditAnnotation = { method: 'password', claimedName: 'scada' } as const;
  assert.deepEqual(recordOne({ changes: { endpoint: loginRoute, auditAnnotation }, status: 200 }), {
    event: 'LOGIN',
    outcome: 'SUCCESS',
    identity: 'scada',
    method: 'password',
    address: '192.0.2.7',
    requestId: 'request-1',
    target: '/services/session/v1/login/password',
    detail: {},
  });
});

test('a failed login of a known name is recorded under that name, with the code', () => {
  const auditAnnotation = { method: 'password', claimedName: 'scada' } as const;
  const error = new NotAuthenticated({ code: 'LOGIN_FAILED', detail: '' });
  const report = recordOne({ changes: { endpoint: loginRoute, auditAnnotation }, status: 401, error });
  assert.deepEqual([report.event, report.outcome, report.identity], ['LOGIN', 'FAILURE', 'scada']);
  assert.deepEqual(report.detail, { status: 401, code: 'LOGIN_FAILED' });
});

test('an unknown name is recorded only as a digest, by which repeated attempts are recognised', () => {
  const records: AuditReport[] = [];
  const sameTrail = trail(records);
  for (const claimedName of ['hunter2-typed-here', 'hunter2-typed-here', 'another']) {
    const auditAnnotation = { method: 'password', claimedName } as const;
    void sameTrail.recordAnswer({ ...createContext(), endpoint: loginRoute, auditAnnotation }, 401);
  }
  assert.ok(!JSON.stringify(records).includes('hunter2'));
  const [first, second, other] = records.map(({ detail }) => detail?.['unknownName']);
  assert.ok(typeof first === 'string' && /^[0-9a-f]{8}$/.test(first));
  assert.equal(first, second);
  assert.notEqual(first, other);
  assert.ok(records.every(({ identity }) => identity === undefined));
});

test('neither an unknown name nor the password of BASIC credentials is recorded', () => {
  const authorization = `Basic ${Buffer.from('mistyped-secret:my-password').toString('base64')}`;
  const report = recordOne({ headers: { authorization }, changes: { endpoint: readRoute }, status: 401 });
  assert.equal(report.method, 'basic');
  assert.doesNotMatch(JSON.stringify(report), /mistyped|my-password|Basic /);
});

test('a known name in refused BASIC credentials is recorded as claimed', () => {
  const authorization = `Basic ${Buffer.from('scada:wrong').toString('base64')}`;
  const report = recordOne({ headers: { authorization }, changes: { endpoint: readRoute }, status: 429 });
  assert.deepEqual([report.event, report.identity, report.method], ['ACCESS_REFUSED', 'scada', 'basic']);
});

test('who only asks whether there is a session, and proves nothing, is not refused', () => {
  const cookie = 'JSESSIONID=of-a-session-that-has-ended';
  const certificate = { commonNames: ['scada'], notAfterMs: 0 };
  const on = (endpoint: typeof tokenRoute): Request => ({ changes: { endpoint }, status: 401 });
  for (const endpoint of [tokenRoute, identityRoute]) {
    assert.deepEqual(record(on(endpoint)), []);
    assert.deepEqual(record({ changes: { endpoint, certificate }, status: 401 }), []);
    // A proof that is refused.
    const headers = { authorization: `Basic ${Buffer.from('scada:wrong').toString('base64')}` };
    assert.equal(recordOne({ ...on(endpoint), headers }).event, 'ACCESS_REFUSED');
    const byCertificate = { changes: { endpoint, certificate }, status: 401, isByCertificate: true };
    assert.equal(recordOne(byCertificate).event, 'ACCESS_REFUSED');
    // Too many requests are too many.
    assert.equal(recordOne({ changes: { endpoint }, status: 429 }).event, 'ACCESS_REFUSED');
  }
  assert.deepEqual(record({ ...on(tokenRoute), headers: { cookie } }), []);
  assert.equal(recordOne({ ...on(identityRoute), headers: { cookie } }).event, 'ACCESS_REFUSED');
  assert.equal(recordOne(on(readRoute)).event, 'ACCESS_REFUSED');
});

test('a name that the request merely claims is never recorded with a success', () => {
  const authorization = `Basic ${Buffer.from('scada:whatever').toString('base64')}`;
  const endpoint = { ...loginRoute, audit: 'TOKEN_REFRESHED' } as const;
  assert.equal(
    recordOne({ headers: { authorization }, changes: { endpoint }, status: 200 }).identity,
    undefined,
  );
});

test('the authentication method of a refused request is recorded', () => {
  const cookie = `JSESSIONID=${'a'.repeat(43)}`;
  const methodOf = (headers: Record<string, string>, changes: Partial<RequestContext> = {}) =>
    recordOne({ headers, changes: { endpoint: readRoute, ...changes }, status: 401 }).method;
  assert.equal(methodOf({}), undefined);
  assert.equal(methodOf({ authorization: 'Bearer abc.def.ghi' }), 'bearer');
  assert.equal(methodOf({ cookie }), 'session');
  assert.equal(methodOf({}, { certificate: { commonNames: ['scada'], notAfterMs: 0 } }), 'certificate');
});

test('a login that cannot be read is recorded as a refused one without a name, whatever else it carries', () => {
  const cookie = `JSESSIONID=${'A'.repeat(43)}`;
  const error = new InvalidRequest({ code: 'BODY_INVALID', detail: 'password: expected text' });
  for (const status of [400, 406, 413, 415]) {
    const request = { headers: { cookie }, changes: { endpoint: loginRoute }, status, error };
    const { event, outcome, method, identity, detail } = recordOne(request);
    assert.deepEqual([event, outcome, method, identity], ['LOGIN', 'FAILURE', undefined, undefined]);
    assert.deepEqual(detail, { status, code: 'BODY_INVALID' });
  }
});

test('an invalid request to another endpoint for anybody is not recorded as an attempt', () => {
  const endpoint = { ...loginRoute, isLogin: false };
  for (const status of [400, 404, 406, 413, 415]) {
    assert.deepEqual(record({ changes: { endpoint }, status }), [], String(status));
  }
});

test('every 401, 403 and 429 of any endpoint is recorded as a refusal', () => {
  for (const status of [401, 403, 429]) {
    const report = recordOne({ changes: { endpoint: readRoute, parameters: { pid: 'boiler' } }, status });
    assert.deepEqual([report.event, report.outcome], ['ACCESS_REFUSED', 'FAILURE']);
    assert.equal(report.target, '/services/assets/boiler/_read');
    assert.deepEqual(report.detail, { status, httpMethod: 'GET' });
  }
});

test('an answered request to a route without an audit event is not recorded', () => {
  for (const status of [200, 204, 400, 404, 500, 503]) {
    assert.deepEqual(record({ changes: { endpoint: readRoute, principal }, status }), [], String(status));
  }
});

test('a request refused before its route is found is recorded without a target', () => {
  assert.equal(recordOne({ changes: {}, status: 429 }).target, undefined);
});

test('a write without credentials or permission is a refusal, not a write', () => {
  const error = new NotPermitted({ code: 'PERMISSION_MISSING', detail: '' });
  assert.equal(recordOne({ changes: { endpoint: writeRoute }, status: 401 }).event, 'ACCESS_REFUSED');
  const report = recordOne({ changes: { endpoint: writeRoute, principal }, status: 403, error });
  assert.deepEqual([report.event, report.identity], ['ACCESS_REFUSED', 'scada']);
});

test('a write that fails as a whole is recorded as a failure', () => {
  const error = new InvalidRequest({ code: 'VALUE_UNPARSABLE', detail: '' });
  for (const status of [400, 404, 500, 503]) {
    const report = recordOne({ changes: { endpoint: writeRoute, principal }, status, error });
    assert.deepEqual([report.event, report.outcome], ['CHANNEL_WRITE', 'FAILURE']);
    assert.deepEqual(report.detail, { status, code: 'VALUE_UNPARSABLE' });
  }
});

test('a wrong current password is a failed password change, not a refusal', () => {
  const endpoint = {
    ...writeRoute,
    path: '/services/session/v1/changePassword',
    audit: 'PASSWORD_CHANGE',
  } as const;
  const report = recordOne({ changes: { endpoint, principal }, status: 401 });
  assert.deepEqual([report.event, report.outcome, report.identity], ['PASSWORD_CHANGE', 'FAILURE', 'scada']);
});

test('an operation can record another event', () => {
  const endpoint = { ...loginRoute, audit: 'TOKEN_REFRESHED' } as const;
  const auditAnnotation = { event: 'TOKEN_REPLAYED', method: 'bearer', claimedName: 'scada' } as const;
  const report = recordOne({ changes: { endpoint, auditAnnotation }, status: 401 });
  assert.deepEqual([report.event, report.outcome, report.identity], ['TOKEN_REPLAYED', 'FAILURE', 'scada']);
});

test('an operation cannot record an answer of 400 or above as a success', () => {
  const changes = { endpoint: writeRoute, principal, auditAnnotation: { outcome: 'SUCCESS' } } as const;
  assert.equal(recordOne({ changes, status: 503 }).outcome, 'FAILURE');
});

test('the path is recorded with its parameters filled in and encoded, and never with the query', () => {
  const context = createContext();
  context.request.url = '/services/assets/a%2Fb/_write?token=secret';
  const parameters = { pid: '../a b/\r\n\u202e\ud800' };
  const report = recordOne({
    changes: { request: context.request, endpoint: writeRoute, principal, parameters },
    status: 200,
  });
  assert.equal(report.target, '/services/assets/..%2Fa%20b%2F%0D%0A%E2%80%AE%EF%BF%BD/_write');
});

test('a write records the outcome of each channel', () => {
  const channel = createChannel({ name: 'setpoint', valueType: 'FLOAT' });
  const writes = [
    { name: 'setpoint', valueType: 'FLOAT', value: 21.5 },
    { name: 'gone', valueType: 'STRING', value: 'on' },
  ] as const;
  const auditAnnotation = noteChannelWrite('boiler', writes, [
    { channel, name: 'setpoint', value: 21.5, timestampMs: 0, outcome: 'ACKNOWLEDGED' },
    { name: 'gone', failure: { code: 'CHANNEL_UNKNOWN', message: '' }, timestampMs: 0, outcome: 'NOT_SENT' },
  ]);
  const report = recordOne({ changes: { endpoint: writeRoute, principal, auditAnnotation }, status: 200 });
  assert.deepEqual([report.event, report.outcome], ['CHANNEL_WRITE', 'FAILURE']);
  assert.equal(report.hasEffect, true);
  assert.deepEqual(report.detail, {
    asset: 'boiler',
    channels: 2,
    failed: 1,
    'channels[0]': 'SUCCESS setpoint 21.5',
    'channels[1]': 'FAILURE CHANNEL_UNKNOWN gone "on"',
  });
});

test('a write records the value that was sent, the one asked for and the one that the device holds', () => {
  const channel = createChannel({ name: 'setpoint', valueType: 'DOUBLE' });
  const asked = { name: 'setpoint', valueType: 'DOUBLE', value: 62.5 } as const;
  const failure = { code: 'WRITE_READ_BACK_DIFFERS', message: '' } as const;
  const sent = { channel, name: 'setpoint', timestampMs: 0, requested: 62.5 } as const;
  const { details } = noteChannelWrite(
    'boiler',
    [asked, asked],
    [
      { ...sent, value: 63, outcome: 'VERIFIED', readBack: 63 },
      { ...sent, failure, asked: { valueType: 'DOUBLE', value: 63 }, outcome: 'REFUSED', readBack: 60 },
    ],
  );
  assert.deepEqual(
    [details?.[0]?.['channels[0]'], details?.[0]?.['channels[1]']],
    [
      'SUCCESS setpoint 63, requested 62.5',
      'FAILURE WRITE_READ_BACK_DIFFERS setpoint 63, requested 62.5, read back 60',
    ],
  );
});

test('a write of which every channel succeeded is a success', () => {
  const channel = createChannel({ name: 'setpoint', valueType: 'FLOAT' });
  const writes = [{ name: 'setpoint', valueType: 'FLOAT', value: 21.5 }] as const;
  const records = [
    { channel, name: 'setpoint', value: 21.5, timestampMs: 0, outcome: 'ACKNOWLEDGED' },
  ] as const;
  assert.equal(noteChannelWrite('boiler', writes, records).outcome, 'SUCCESS');
});

test('a trial of a write has an event of its own, whatever became of it', () => {
  const channel = createChannel({ name: 'setpoint', valueType: 'FLOAT' });
  const writes = [{ name: 'setpoint', valueType: 'FLOAT', value: 21.5 }] as const;
  const tried = { name: 'setpoint', timestampMs: 0, isDryRun: true } as const;
  const failure = { code: 'WRITE_LIMIT_EXCEEDED', message: '' } as const;
  const sound = noteChannelWrite('boiler', writes, [{ ...tried, channel, value: 21.5 }]);
  const refused = noteChannelWrite('boiler', writes, [{ ...tried, channel, failure, outcome: 'NOT_SENT' }]);
  const whole = noteChannelWrite('boiler', writes);
  const { request } = createContext();
  request.url = '/services/assets/boiler/_write?dryRun=true';
  const recordTrial = (status: number, auditAnnotation?: AuditAnnotation): readonly unknown[] => {
    const changes = { request, endpoint: writeRoute, principal, ...(auditAnnotation && { auditAnnotation }) };
    const { event, outcome, hasEffect = false, detail } = recordOne({ changes, status });
    return [event, outcome, hasEffect, detail?.['channels[0]']];
  };
  const event = 'CHANNEL_WRITE_TRIED';
  assert.deepEqual(recordTrial(200, sound), [event, 'SUCCESS', false, 'SUCCESS setpoint 21.5']);
  const reason = 'FAILURE WRITE_LIMIT_EXCEEDED setpoint 21.5';
  assert.deepEqual(recordTrial(200, refused), [event, 'FAILURE', false, reason]);
  assert.deepEqual(recordTrial(503, whole), [event, 'FAILURE', false, 'FAILURE NOT_WRITTEN setpoint 21.5']);
  assert.deepEqual(recordTrial(400), [event, 'FAILURE', false, undefined]);
  request.url = '/services/assets/boiler/_write?dryRun=false';
  assert.equal(recordTrial(400)[0], 'CHANNEL_WRITE');
});

test('a write that failed as a whole records the requested values', () => {
  const writes = [{ name: 'setpoint', valueType: 'FLOAT', value: 21.5 }] as const;
  const { outcome, hasEffect, details } = noteChannelWrite('boiler', writes);
  assert.deepEqual([outcome, hasEffect], ['FAILURE', false]);
  assert.equal(details?.[0]?.['channels[0]'], 'FAILURE NOT_WRITTEN setpoint 21.5');
});

test('a large write is recorded as several events of one request', () => {
  const writes = Array.from({ length: 40 }, () => ({ name: 'c', valueType: 'LONG', value: 1n }) as const);
  const auditAnnotation = noteChannelWrite('boiler', writes);
  const records = record({ changes: { endpoint: writeRoute, principal, auditAnnotation }, status: 503 });
  assert.equal(records.length, 3);
  assert.ok(records.every(({ requestId }) => requestId === 'request-1'));
});

test('recordAnswer does not throw when recording fails', () => {
  const fail = (): never => {
    throw new Error('out of order');
  };
  const logger = createMemoryLogger();
  const broken = createAuditTrail({
    audit: { announce: fail, record: fail, settle: () => undefined, whenStored: fail },
    identities: { find: fail },
    rest: fail,
    logger,
    monotonicMs: () => 0,
  });
  void broken.recordAnswer({ ...createContext(), endpoint: loginRoute }, 401);
  assert.deepEqual(
    logger.lines.map(({ level, event, fields }) => [level, event, fields['requestId']]),
    [['error', 'audit.recordFailed', 'request-1']],
  );
});
