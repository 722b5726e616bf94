import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import type { ClientAnswer, ClientRequest } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';

const SESSION = '/services/session/v1';
const TOKEN = '/services/token/jwt/v1';

/** Returns the secrets found in texts that must not contain them. */
function findLeaks(
  secrets: ReadonlyMap<string, string>,
  places: ReadonlyMap<string, string>,
): readonly string[] {
  return [...secrets].flatMap(([name, secret]) =>
    [...places].filter(([, text]) => text.includes(secret)).map(([place]) => `${name} in ${place}`),
  );
}

function readEverything(directory: string, except: RegExp): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8', withFileTypes: true });
  return new Map(
    files
      .filter((file) => file.isFile() && !except.test(file.name))
      .map((file) => path.join(file.parentPath, file.name))
      .map((file) => [file, readFileSync(file, 'latin1')]),
  );
}

test('no password, cookie, token or key shows in the log, the store or an answer that has no need of it', async (t) => {
  const password = 'canary-password-of-turbine';
  const gateway = await startGateway(t, {
    config: {
      log: { level: 'debug' },
      provision: {
        rest: { basicAuthenticationEnabled: true, jwtAuthenticationEnabled: true },
        identities: [{ name: 'operator', permissions: ['rest.admin'], password }],
        drivers: [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port: 9 }],
        assets: [{ pid: 'plant', driver: 'line1', channels: [] }],
      },
    },
  });
  const answers: string[] = [];
  const secrets = await useEverySecret(gateway, password, answers);
  await gateway.stop();

  const places = new Map([
    ['the log', gateway.lines.map((line) => JSON.stringify(line)).join('\n')],
    ['the errors of the process', gateway.errors()],
    ['the answers', answers.join('\n')],
    // The configuration file holds the password that was put there; keys are in their own files.
    ...readEverything(gateway.dataDirectory, /\.key$|key\.pem$/),
  ]);
  assert.ok(secrets.size >= 14);
  assert.deepEqual(findLeaks(secrets, places), []);
});

async function useEverySecret(
  gateway: RunningGateway,
  password: string,
  answers: string[],
): Promise<ReadonlyMap<string, string>> {
  const [port = 0] = gateway.httpsPorts;
  const secrets = new Map([['password', password]]);
  const plant = (name: string): string => {
    const canary = `canary-${name}-7f3a`;
    secrets.set(name, canary);
    return canary;
  };
  const ask = async (method: string, where: string, request: ClientRequest = {}): Promise<ClientAnswer> => {
    const answer = await send({ port }, method, where, request);
    answers.push(JSON.stringify(answer.headers), answer.text);
    return answer;
  };
  const basic = (name: string, word: string) => `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`;

  // Requests that succeed: these secrets are in use, and may appear in their answers only.
  const client = new SessionClient({ port });
  await client.login('operator', password);
  secrets.set('session id', client.cookie?.split('=')[1] ?? assert.fail());
  secrets.set('XSRF token', client.xsrfToken ?? assert.fail());
  const issued = await client.send('POST', `${TOKEN}/issue`);
  const pair = answerOf(obtainTokens, issued);
  secrets.set('access token', pair.accessToken.split('.')[2] ?? assert.fail());
  secrets.set('refresh token', pair.refreshToken.split('.')[2] ?? assert.fail());
  const text = { 'Content-Type': 'text/plain' };
  const refreshed = await send({ port }, 'POST', `${TOKEN}/refresh`, {
    headers: text,
    body: pair.refreshToken,
  });
  assert.equal(refreshed.status, 200);
  await ask('GET', '/services/assets', { headers: { Authorization: `Bearer ${pair.accessToken}` } });
  const credentials = basic('operator', password);
  secrets.set('BASIC credentials', credentials.slice('Basic '.length));
  await ask('GET', '/services/assets/plant/_read', { headers: { Authorization: credentials } });
  const newPassword = plant('new-password');
  const body = { currentPassword: password, newPassword };
  const change = await client.send('POST', `${SESSION}/changePassword`, { body });
  assert.equal(change.status, 204);

  // Requests that fail, on every way in and with every kind of error.
  await ask('POST', `${TOKEN}/refresh`, { headers: text, body: pair.refreshToken });
  await ask('POST', `${TOKEN}/refresh`, { headers: text, body: plant('garbage-token') });
  await ask('POST', `${SESSION}/login/password`, {
    body: { username: 'operator', password: plant('wrong-password') },
  });
  await ask('POST', `${SESSION}/login/password`, {
    body: { username: plant('password-as-name'), password: 'x' },
  });
  await ask('POST', `${SESSION}/login/password`, {
    body: `{"username":"operator","password":"${plant('broken-json')}`,
  });
  await ask('POST', `${SESSION}/login/password`, {
    body: { username: 'operator', password: [plant('password-in-list')] },
  });
  await ask('POST', `${SESSION}/login/password`, {
    body: { username: 'o', password: 'p', [plant('key-of-body')]: 1 },
  }).then(
    // The answer names the unknown key; the name comes from the caller and goes nowhere else.
    () => answers.splice(-1, 1),
  );
  await ask('GET', '/services/assets', {
    headers: { Authorization: basic('operator', plant('wrong-basic')) },
  });
  await ask('GET', '/services/assets', { headers: { Authorization: `Basic ${plant('malformed-basic')}` } });
  await ask('GET', '/services/assets', { headers: { Authorization: `Bearer ${plant('bearer')}` } });
  await ask('GET', '/services/assets', { headers: { Cookie: `JSESSIONID=${plant('cookie')}` } });
  await ask('GET', '/services/assets', { headers: { 'X-XSRF-Token': plant('xsrf') } });
  await ask('GET', `/services/assets?access_token=${plant('query-token')}`);
  await ask('GET', `/services/nothing?password=${plant('query-password')}`);
  return secrets;
}
