import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';

const PASSWORD = 'turbine-password';
const identities = [{ name: 'historian', permissions: ['rest.assets'], password: PASSWORD }];
const ROOT = '/services/token/jwt/v1';

const refresh = async ({ httpsPorts: [port = 0] }: RunningGateway, token: string) =>
  send({ port }, 'POST', `${ROOT}/refresh`, { headers: { 'Content-Type': 'text/plain' }, body: token });

for (const [jwtUsedRefreshTokensPersistent, status, what] of [
  [true, 401, 'stays used when it is kept on disk'],
  [false, 200, 'is forgotten by default, as the specification says'],
] as const) {
  test(`a refresh token that was used before the daemon was killed ${what}`, async (t) => {
    const rest = { jwtAuthenticationEnabled: true, jwtUsedRefreshTokensPersistent };
    const first = await startGateway(t, { config: { provision: { rest, identities } } });
    const client = new SessionClient({ port: first.httpsPorts[0] ?? 0 });
    await client.login('historian', PASSWORD);
    const issued = await client.send('POST', `${ROOT}/issue`);
    const { refreshToken } = answerOf(obtainTokens, issued);
    const exited = once(first.process, 'exit');
    assert.equal((await refresh(first, refreshToken)).status, 200);
    // At once: what the answer promises is on disk before it is sent.
    first.process.kill('SIGKILL');
    await exited;
    const second = await startGateway(t, { directory: first.directory });
    assert.equal((await refresh(second, refreshToken)).status, status);
    assert.equal((await refresh(second, refreshToken)).status, 401);
  });
}
