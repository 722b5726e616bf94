import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NodeId, UserTokenType } from 'node-opcua-client';

import { ClosedByServer, LinkLost, ServiceRefused } from '../../../../drivers/opcua/opcua-errors.ts';
import { ServerSession } from '../../../../drivers/opcua/session/server-session.ts';
import { SessionKeeper } from '../../../../drivers/opcua/session/session-keeper.ts';

const lost = new LinkLost('opc.tcp://192.0.2.7', new ClosedByServer().reasons);

function createKeeper(): { readonly keeper: SessionKeeper; readonly session: ServerSession } {
  const keeper = new SessionKeeper();
  const given = { authenticationToken: new NodeId(), timeout: 60_000 };
  const session = new ServerSession(given, { type: UserTokenType.Anonymous });
  keeper.keep(session);
  return { keeper, session };
}

test('a session is kept while the server does not answer or is busy, and activated means as good as before', () => {
  const { keeper, session } = createKeeper();
  for (let round = 0; round < 10; round += 1) {
    assert.equal(keeper.classifyFailure(lost), 'TRY_AGAIN');
    assert.equal(
      keeper.classifyFailure(new ServiceRefused('ActivateSession', 'BadServerHalted')),
      'TRY_AGAIN',
    );
    assert.equal(keeper.session, session);
    keeper.keep(session);
  }
});

test('a session is gone when the server reports it', () => {
  const { keeper } = createKeeper();
  const refused = new ServiceRefused('ActivateSession', 'BadSessionIdInvalid');
  assert.equal(keeper.classifyFailure(refused), 'SESSION_IS_GONE');
  assert.equal(keeper.session, undefined);
});

test('a server that hangs up at each activation is asked for another session in the end', () => {
  const { keeper } = createKeeper();
  let attempts = 0;
  for (; keeper.session !== undefined; attempts += 1) assert.equal(keeper.classifyFailure(lost), 'TRY_AGAIN');
  assert.equal(attempts, 3);
});

test('a time-out that is no number counts as none, so that the server is not asked without pause', () => {
  const identity = { type: UserTokenType.Anonymous } as const;
  const timeouts = [60_000, NaN].map((timeout) => {
    const given = { authenticationToken: new NodeId(), timeout };
    return new ServerSession(given, identity).timeoutMs;
  });
  assert.deepEqual(timeouts, [60_000, Infinity]);
});
