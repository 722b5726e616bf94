import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { TestContext } from 'node:test';
import { UserTokenType } from 'node-opcua-client';
import type { GatewayError } from '../../../daemon/base/errors.ts';
import { LinkLost, describeLibraryFault } from '../../../drivers/opcua/opcua-errors.ts';
import { describeReasons } from '../../../daemon/base/fault-reason.ts';
import type { AccessConfig } from '../../../drivers/opcua/write/refusal-advice.ts';
import { withAdvice } from '../../../drivers/opcua/write/refusal-advice.ts';
import { SecureChannel } from '../../../drivers/opcua/transport/secure-channel.ts';
import type { ServiceTransport } from '../../../drivers/opcua/transport/service-transport.ts';
import { systemClock } from '../../../daemon/base/clock.ts';
import { createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServerOptions } from '../../support/opcua-server.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const root = createTemporaryDirectory({ after });

/** Returns the code and text with which a server refuses a driver. */
async function refuse(
  t: TestContext,
  server: Partial<OpcuaServerOptions>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const started = await startOpcuaServer({ directory: `${root}/server`, ...server });
  t.after(() => started[Symbol.asyncDispose]());
  const { endpointUrl } = started;
  const driver = createOpcuaDriver(
    { endpointUrl, connectTimeoutMs: 60_000, ...settings },
    { dataDirectory: `${root}/gateway` },
  );
  t.after(() => driver.disconnect());
  const connecting = driver.connect(new AbortController().signal, () => undefined);
  const error = await connecting.then(
    () => undefined,
    (thrown: unknown) => thrown as GatewayError,
  );
  assert.ok(error !== undefined, 'it was let in');
  return `${error.code} ${error.detail.replace(endpointUrl, 'URL')}`;
}

test('a server that does not accept anonymous sessions: the message says what to set', async (t) => {
  const users = { operator: 'secret' };
  assert.equal(
    await refuse(t, { users }),
    'OPCUA_USER_KIND_REFUSED URL does not accept anonymous sessions: set securityMode SIGN_AND_ENCRYPT with userName and password, ' +
      'or userCertificateFile and userPrivateKeyFile; with this protection it accepts no user at all',
  );
});

test('a server that accepts users with another protection only: the message names it', async (t) => {
  const security = {
    securityModes: ['None', 'SignAndEncrypt'],
    securityPolicies: ['None', 'Basic256Sha256'],
  } as const;
  assert.match(
    await refuse(t, { ...security, users: { operator: 'secret' } }),
    /accepts user name, certificate; with SIGN_AND_ENCRYPT with Basic256Sha256: user name, certificate$/,
  );
});

test('a server that lists no endpoint under the URL: the message has the URL that the server names', async (t) => {
  const server = await startOpcuaServer({ directory: `${root}/server` });
  t.after(() => server[Symbol.asyncDispose]());
  await server.listNoEndpoints();
  for (const securityMode of ['NONE', 'SIGN_AND_ENCRYPT']) {
    const endpointUrl = `${server.endpointUrl}/elsewhere`;
    const driver = createOpcuaDriver(
      { endpointUrl, connectTimeoutMs: 60_000, securityMode },
      { dataDirectory: `${root}/gateway` },
    );
    t.after(() => driver.disconnect());
    const connecting = driver.connect(new AbortController().signal, () => undefined);
    await assert.rejects(connecting, ({ code, detail }: GatewayError) => {
      assert.equal(code, 'OPCUA_NO_ENDPOINT');
      assert.match(detail, /lists no endpoints; set endpointUrl to a URL that it names: opc\.tcp:/);
      assert.ok(detail.includes(`:${server.port}`), detail);
      return true;
    });
  }
});

test('a server that closes the connection when it sees our certificate: the message says that it must trust it', async (t) => {
  const security = {
    securityModes: ['None', 'SignAndEncrypt'],
    securityPolicies: ['None', 'Basic256Sha256'],
  } as const;
  const server = await startOpcuaServer({ directory: `${root}/server`, ...security });
  t.after(() => server[Symbol.asyncDispose]());
  mkdirSync(`${root}/gateway/trusted`, { recursive: true, mode: 0o700 });
  writeFileSync(`${root}/gateway/trusted/server.der`, server.certificate.raw);
  const cable = await layTcpCable(server.port, (bytes) => bytes.includes('SecurityPolicy#Basic256Sha256'));
  t.after(() => cable[Symbol.asyncDispose]());
  const driver = createOpcuaDriver(
    {
      endpointUrl: `opc.tcp://127.0.0.1:${cable.port}`,
      connectTimeoutMs: 60_000,
      securityMode: 'SIGN_AND_ENCRYPT',
    },
    { dataDirectory: `${root}/gateway` },
  );
  t.after(() => driver.disconnect());
  await assert.rejects(
    driver.connect(new AbortController().signal, () => undefined),
    ({ code, detail }: GatewayError) => {
      assert.equal(code, 'OPCUA_CONNECT_FAILED');
      assert.match(
        detail,
        /probably does not trust it: approve the certificate of the gateway on the server/,
      );
      return true;
    },
  );
});

function advise(status: string, config: AccessConfig): string {
  return describeReasons(withAdvice(status, config));
}

test('what a server refuses says which setting helps', () => {
  const user = { securityMode: 'SIGN', userName: 'operator' } as const;
  assert.equal(advise('BadUserAccessDenied', user), 'BadUserAccessDenied; check userName and password');
  assert.match(
    advise('BadIdentityTokenRejected', { securityMode: 'SIGN' }),
    /; set userName and password, or/,
  );
  assert.match(
    advise('BadIdentityTokenRejected', { securityMode: 'SIGN', userCertificateFile: 'user.pem' }),
    /must trust the certificate in userCertificateFile/,
  );
  assert.match(
    advise('BadSecurityChecksFailed', user),
    /approve the certificate of the gateway on the server, or install drivers\/opcua\/own\/certificate\.pem/,
  );
  assert.match(advise('BadCertificateTimeInvalid', user), /compare both clocks/);
  assert.match(advise('BadTcpEndpointUrlInvalid', user), /path that the server expects/);
  assert.match(advise('BadSecurityPolicyRejected', user), /set securityMode and securityPolicy/);
  assert.equal(advise('BadOther', user), 'BadOther');
});

test('no text of the library reaches a client', async () => {
  const texts = [
    [
      'Cannot find ANONYMOUS user token policy in end point description',
      'unusable response to CreateSession',
    ],
    [
      'Transaction has timed out ( timeout = 15000 ms , request = CreateSessionRequest)',
      'did not respond to CreateSession',
    ],
    ['The connection may have been rejected by server,\n Err = (BadTcpInternalError)', 'BadTcpInternalError'],
    [' serviceResult = BadSessionIdInvalid (0x80250000)', 'BadSessionIdInvalid'],
  ] as const;
  for (const [text, shown] of texts) {
    assert.ok(describeLibraryFault(new Error(text), 'CreateSession').endsWith(shown));
    for (const step of ['open', 'getEndpoints', 'createSession'] as const) {
      const fail = (): Promise<never> => Promise.reject(new Error(text));
      const transport: ServiceTransport = {
        open: fail,
        getEndpoints: fail,
        createSession: fail,
        activateSession: fail,
        isOpen: true,
        send: () => undefined,
        close: () => undefined,
        closeReason: undefined,
        dispose: () => Promise.resolve(),
      };
      const channel = new SecureChannel({ transport, endpointUrl: 'opc.tcp://plc', clock: systemClock });
      const work =
        step === 'createSession' ? channel.createSession({ type: UserTokenType.Anonymous }) : channel[step]();
      const error = await work.then(
        () => undefined,
        (thrown: unknown) => thrown as GatewayError,
      );
      assert.ok(error !== undefined && !error.detail.includes(text.trim()), `${step}: ${error?.detail}`);
      if (error instanceof LinkLost)
        assert.doesNotMatch(describeReasons(error.causes), /\n|end point description|Transaction/);
    }
  }
});
