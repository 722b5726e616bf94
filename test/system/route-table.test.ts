import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { z } from '../../daemon/base/schema.ts';
import { composeGateway } from '../../daemon/compose/gateway.ts';
import { systemHostServices } from '../../daemon/compose/host-services.ts';
import type { Route } from '../../daemon/server/http/route.ts';
import type { Endpoint } from '../../daemon/interface/endpoint.ts';
import { loadSettingsFile } from '../../daemon/settings/settings-file.ts';
import { listOperations } from '../bench/operations.ts';
import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import type { ClientAnswer, ClientRequest } from '../support/https-client.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';

const PASSWORD = 'route-table-password';

/** A caller, and the expected answer of a route that needs a permission or any identity. */
interface Caller {
  readonly name: string;
  call(method: string, path: string, request?: ClientRequest): Promise<ClientAnswer>;
  /** `IN`: gets past authentication and permission. */
  readonly isGuessing?: boolean;
  /** A page of another host, which is refused even on public routes. */
  readonly isOtherHost?: boolean;
  readonly expected: (route: Route) => 401 | 403 | 'IN';
}

const routesOfGateway = composeRoutes();
const callersOfGateway = startPlant().then(createCallers);

// Before the next test, which ends sessions and makes callers wait.
test('a path that no route claims is not found, for any caller', async () => {
  for (const caller of await callersOfGateway) {
    for (const path of [
      '/',
      '/services',
      '/services/nothing',
      '/services/assets/a/b/c',
      '/etc/passwd',
      '/..%2f',
    ]) {
      assert.equal((await caller.call('GET', path)).status, 404, `${caller.name} ${path}`);
    }
  }
});

test('every route accepts exactly the callers that it declares', async () => {
  const routes = await routesOfGateway;
  const callers = await callersOfGateway;
  assert.ok(routes.length >= 17);
  for (const caller of callers) {
    for (const route of routes.filter(({ isLogin }) => isLogin !== true)) {
      const what = `${caller.name}: ${route.method} ${route.path}`;
      if (endsSession(route)) continue;
      // The head of a stream shows whether access was granted; its body has no end.
      const isStream = route.response.contentType === 'text/event-stream';
      const answer = await caller.call(
        isStream && route.method === 'GET' ? 'HEAD' : route.method,
        route.path.replace(':pid', 'nothing'),
        toRequest(route),
      );
      const isOpen = route.access === 'PUBLIC' && caller.isOtherHost !== true;
      const expected = isOpen ? 'IN' : caller.expected(route);
      if (expected === 'IN') assert.ok(![401, 403].includes(answer.status), `${what} gave ${answer.status}`);
      // A client that guesses passwords soon has to wait.
      else if (answer.status !== 429 || caller.isGuessing !== true)
        assert.equal(answer.status, expected, what);
      if (answer.status >= 400 && !isStream) {
        assert.equal(answer.headers['content-type'], 'application/json', what);
        assert.deepEqual(Object.keys(failureOf(answer)), ['message'], what);
      }
    }
  }
});

test('the bench measures how long each route makes others wait, or names it as small', async () => {
  const routes = await routesOfGateway;
  const unknown = routes.filter(({ method, path, response }) => {
    const isStream = response.contentType === 'text/event-stream';
    return listOperations({ method, path, isStream }) === undefined;
  });
  assert.deepEqual(
    unknown.map(({ method, path }) => `${method} ${path}`),
    [],
    'belong to the operations of test/bench/operations.ts, or to what is small there',
  );
});

test('the endpoints of the specification, and no others, ignore unknown parameters', async () => {
  const routes = await routesOfGateway;
  const lenient = routes.filter(({ isOfSpecification }) => isOfSpecification === true);
  // Those of Kura ignore them as well.
  const others = lenient.filter(
    ({ path }) =>
      !/^\/services\/(?:(?:session|token\/jwt|inventory|system)\/v1|identity\/v2|keystores\/v[12])(?:\/|$)/.test(
        path,
      ),
  );
  assert.deepEqual(
    others.map(({ method, path }) => `${method} ${path.slice('/services/'.length)}`).toSorted(),
    [
      'DELETE deploy/v2/:name',
      'GET assets',
      'GET assets/:pid',
      'GET assets/:pid/_read',
      'GET deploy/v2',
      'POST assets/:pid/_read',
      'POST assets/:pid/_write',
      'POST deploy/v2/_install',
      'POST deploy/v2/_upload',
      'PUT deploy/v2/_packageDescriptor',
    ],
  );
  const strict = routes.filter(
    ({ path, isOfSpecification }) =>
      /^\/services\/(session|token)\//.test(path) && isOfSpecification !== true,
  );
  assert.deepEqual(
    strict.map(({ method, path }) => `${method} ${path.slice('/services/'.length)}`).toSorted(),
    [
      'DELETE session/v1/sessions',
      'DELETE session/v1/sessions/:id',
      'GET session/v1/_own',
      'GET session/v1/_settings',
      'GET session/v1/secondFactor',
      'GET session/v1/sessions',
      'POST session/v1/secondFactor/begin',
      'POST session/v1/secondFactor/confirm',
      'POST session/v1/secondFactor/remove',
      'POST session/v1/secondFactor/renewRecoveryCodes',
      'POST token/jwt/v1/_revoke',
      'POST token/jwt/v1/_rotateKey',
      'PUT session/v1/_settings',
    ],
  );
});

test('what is not recorded over the local socket are reads of a state, and every value, audit and backup is recorded', async () => {
  const routes = await routesOfGateway;
  const recorded = routes.filter((route) => route.method === 'GET' && route.isStatus !== true);
  assert.deepEqual(recorded.map(({ path }) => path.slice('/services/'.length)).toSorted(), [
    'assets/:pid/_listen',
    'assets/:pid/_read',
    'assets/_listen',
    'audit/v1/chain',
    'audit/v1/events',
    'configuration/v1/assets/:pid/_tags',
    'configuration/v1/snapshots/:id',
    'deploy/v2/_bundles/:name/_log',
    'drivers/v1/:pid/_browse',
    'drivers/v1/:pid/_trace',
    'history/v1/:asset',
    'session/v1/xsrfToken',
    'status/v1/support',
  ]);
});

// A response is compressed only if nothing secret is in it (BREACH): these are not, though they have content.
const NEVER_COMPRESSED = [
  'DELETE session/v1/sessions',
  'GET /healthz',
  'GET /readyz',
  'GET audit/v1/chain',
  // Always short.
  'GET configuration/v1/_confirm',
  // Programs of others write what they like.
  'GET deploy/v2/_bundles/:name/_log',
  // The URL of a package may have credentials.
  'GET deploy/v2/_status',
  'GET deploy/v2/_status/:id',
  // What devices and the gateway send to each other may have passwords.
  'GET drivers/v1/:pid/_trace',
  'GET drivers/v1/:pid/_trust',
  'GET identity/v1/definedPermissions',
  'GET identity/v1/passwordRequirements',
  'GET identity/v2/definedPermissions',
  'GET identity/v2/passwordStrenghtRequirements',
  'GET session/v1/_own',
  'GET session/v1/authenticationInfo',
  'GET session/v1/currentIdentity',
  'GET session/v1/secondFactor',
  'GET session/v1/sessions',
  'GET session/v1/xsrfToken',
  // Messages of programs and devices of others.
  'GET status/v1/log',
  'GET status/v1/support',
  'POST session/v1/login/certificate',
  'POST session/v1/login/password',
  'POST session/v1/secondFactor/begin',
  'POST session/v1/secondFactor/confirm',
  'POST session/v1/secondFactor/renewRecoveryCodes',
  'POST token/jwt/v1/_rotateKey',
  'POST token/jwt/v1/issue',
  'POST token/jwt/v1/refresh',
];

test('every response of a read is either compressible or known to be none', async () => {
  const routes = await routesOfGateway;
  const plain = routes.filter(
    ({ method, path, response, isCompressible }) =>
      (method === 'GET' || /^\/services\/(session|token)\//.test(path)) &&
      response.schema !== undefined &&
      response.contentType !== 'text/event-stream' &&
      isCompressible !== true,
  );
  assert.deepEqual(
    plain.map(({ method, path }) => `${method} ${path.replace('/services/', '')}`).toSorted(),
    NEVER_COMPRESSED,
  );
});

test('no compressible response has a member that is a secret', async () => {
  // Conditions of an identity; none is a credential.
  const harmless = new Set([
    'passwordAuthEnabled',
    'passwordChangeNeeded',
    'passwordConfiguration',
    // The name of a record.
    'KuraPasswordConfiguration',
    'secondFactorRequired',
    // Sections, with the names of their items alone.
    'tokenIssuingServices',
    'tokenVerificationServices',
  ]);
  const routes = (await routesOfGateway).filter(({ isCompressible }) => isCompressible === true);
  assert.ok(routes.length > 20);
  for (const { method, path, response } of routes) {
    const schema = response.schema ?? assert.fail(path);
    const described = JSON.stringify(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }));
    const members = [...described.matchAll(/"(\w+)":\{/g)].map(([, name = '']) => name);
    const secret = members.filter((name) =>
      /password|secret|token|credential|cookie|xsrf|recovery|privatekey/i.test(name),
    );
    assert.deepEqual(
      [...new Set(secret)].filter((name) => !harmless.has(name)),
      [],
      `${method} ${path}`,
    );
  }
});

/** Creates a body of the type that a route takes, with nothing in it that fits. */
function toRequest({ request }: Route): ClientRequest {
  // Plain text is a proof of identity, and would be verified.
  if (request === undefined || request.contentType === 'text/plain') return {};
  const { contentType } = request;
  return { body: contentType === 'application/json' ? [] : '-', headers: { 'Content-Type': contentType } };
}

function withHeaders(request: ClientRequest | undefined, headers: ClientRequest['headers']): ClientRequest {
  return { ...request, headers: { ...request?.headers, ...headers } };
}

// Logging out or changing the password would void the callers of the routes after it.
function endsSession({ path }: Route): boolean {
  return path.endsWith('/logout') || path.endsWith('/changePassword');
}

function startPlant(): Promise<RunningGateway> {
  const provision = {
    rest: {
      basicAuthenticationEnabled: true,
      statelessCertificateAuthenticationEnabled: true,
      jwtAuthenticationEnabled: true,
    },
    identities: [
      { name: 'reader', permissions: ['rest.assets'], password: PASSWORD },
      { name: 'guest', permissions: [], password: PASSWORD },
      { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
      { name: 'newcomer', permissions: ['rest.admin'], password: PASSWORD, passwordChangeNeeded: true },
      { name: 'unenrolled', permissions: ['rest.admin'], password: PASSWORD, secondFactorRequired: true },
    ],
  };
  // With the console, there is something at the root.
  return startGateway({ after }, { config: { console: { enabled: false }, provision } });
}

test('every declared endpoint has one route, and none has two', async () => {
  const folder = join(import.meta.dirname, '../../daemon/interface');
  const modules = await Promise.all(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file): Promise<object> => import(join(folder, file)) as Promise<object>),
  );
  const declared = modules
    .flatMap((module) => Object.values(module) as readonly unknown[])
    .filter(isEndpoint)
    .map(nameOf);
  const routes = (await routesOfGateway).map(nameOf);
  assert.ok(declared.length > 0);
  assert.deepEqual(
    declared.filter((name) => routes.filter((route) => route === name).length !== 1),
    [],
  );
  assert.deepEqual(new Set(declared).size, declared.length);
});

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

function nameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

async function composeRoutes(): Promise<readonly Route[]> {
  const configFile = join(createTemporaryDirectory({ after }), 'penstock.yaml');
  writeFileSync(configFile, 'dataDirectory: data');
  const loaded = await loadSettingsFile(configFile);
  const { routes } = await composeGateway({
    loaded,
    logger: createMemoryLogger(),
    hostServices: systemHostServices,
  });
  return routes;
}

/** Creates an agent that keeps its connection: a handshake takes longer than a request. */
function createAgent(): Agent {
  const agent = new Agent({ keepAlive: true });
  after(() => agent.destroy());
  return agent;
}

async function createCallers(gateway: RunningGateway): Promise<readonly Caller[]> {
  const [port = 0] = gateway.httpsPorts;
  const [clientAuthPort = 0] = gateway.clientAuthPorts;
  const agent = createAgent();
  const basic = (name: string, password: string) => (method: string, path: string, request?: ClientRequest) =>
    send(
      { port, agent },
      method,
      path,
      withHeaders(request, {
        Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
      }),
    );
  const session = async (name: string) => {
    const client = new SessionClient({ port, agent });
    assert.equal((await client.login(name, PASSWORD)).status, 200);
    return client;
  };
  const certificate = async (name: string) => {
    const pair = await getClientCertificate(name);
    const own = createAgent();
    return (method: string, path: string, request?: ClientRequest) =>
      send({ port: clientAuthPort, agent: own, ...pair }, method, path, request);
  };
  const byPermission = ({ access }: Route, permissions: readonly string[]) =>
    access === 'ANY_IDENTITY' || permissions.some((one) => access === one || access.startsWith(`${one}.`))
      ? 'IN'
      : 403;
  const [reader, guest, chief, newcomer, unenrolled] = await Promise.all(
    ['reader', 'guest', 'chief', 'newcomer', 'unenrolled'].map(session),
  );
  const isIssue = ({ path: routePath }: Route): boolean => routePath.endsWith('/issue');
  const bearer = async (name: string) => {
    const issued = await basic(name, PASSWORD)('POST', '/services/token/jwt/v1/issue');
    const { accessToken } = answerOf(obtainTokens, issued);
    return (method: string, path: string, request?: ClientRequest) =>
      send({ port, agent }, method, path, withHeaders(request, { Authorization: `Bearer ${accessToken}` }));
  };
  const needsSession = ({ path }: Route): boolean => path.endsWith('/xsrfToken');
  return [
    {
      name: 'nobody',
      call: (method, path, request) => send({ port, agent }, method, path, request),
      expected: () => 401,
    },
    {
      name: 'an unknown session',
      call: (method, path, request) =>
        send({ port, agent }, method, path, withHeaders(request, { Cookie: 'JSESSIONID=made-up' })),
      expected: () => 401,
    },
    {
      name: 'a session with its permission',
      call: (method, path, request) =>
        reader?.send(method, path, request) ?? Promise.reject(new Error('no session')),
      expected: (route) => byPermission(route, ['rest.assets']),
    },
    {
      name: 'a session without permissions',
      call: (method, path, request) =>
        guest?.send(method, path, request) ?? Promise.reject(new Error('no session')),
      expected: (route) => byPermission(route, []),
    },
    {
      name: 'a session without its XSRF token',
      call: (method, path, request) =>
        send({ port, agent }, method, path, withHeaders(request, { Cookie: reader?.cookie ?? '' })),
      expected: ({ isXsrfExempt }) => (isXsrfExempt === true ? 'IN' : 401),
    },
    {
      name: 'a session with the XSRF token of another',
      call: (method, path, request) =>
        send(
          { port, agent },
          method,
          path,
          withHeaders(request, { Cookie: reader?.cookie ?? '', 'X-XSRF-Token': guest?.xsrfToken ?? '' }),
        ),
      expected: ({ isXsrfExempt }) => (isXsrfExempt === true ? 'IN' : 401),
    },
    {
      name: 'a session, from a page of another host',
      isOtherHost: true,
      call: (method, path, request) =>
        reader?.send(method, path, withHeaders(request, { Origin: 'https://evil.example' })) ??
        Promise.reject(new Error('no session')),
      expected: ({ method, access }) => (method !== 'GET' ? 403 : access === 'PUBLIC' ? 'IN' : 401),
    },
    {
      name: 'an administrator by BASIC, from a page of another site',
      isOtherHost: true,
      call: (method, path, request) =>
        basic('chief', PASSWORD)(method, path, withHeaders(request, { 'Sec-Fetch-Site': 'cross-site' })),
      expected: ({ method, path }) => (method !== 'GET' ? 403 : path.endsWith('/xsrfToken') ? 401 : 'IN'),
    },
    {
      name: 'an administrator',
      call: (method, path, request) =>
        chief?.send(method, path, request) ?? Promise.reject(new Error('no session')),
      expected: () => 'IN',
    },
    {
      name: 'a bearer of an access token',
      call: await bearer('reader'),
      // Tokens are not given for tokens.
      expected: (route) =>
        needsSession(route) || isIssue(route) ? 401 : byPermission(route, ['rest.assets']),
    },
    {
      name: 'a locked session',
      call: (method, path, request) =>
        newcomer?.send(method, path, request) ?? Promise.reject(new Error('no session')),
      expected: (route) => (isIssue(route) ? 403 : route.isOpenToLockedSessions === true ? 'IN' : 401),
    },
    {
      name: 'a session that has to set up a second factor',
      call: (method, path, request) =>
        unenrolled?.send(method, path, request) ?? Promise.reject(new Error('no session')),
      expected: (route) => {
        if (isIssue(route)) return 403;
        return route.isOpenToLockedSessions === true || route.isOpenForEnrolment === true ? 'IN' : 401;
      },
    },
    {
      name: 'BASIC with its permission',
      call: basic('reader', PASSWORD),
      expected: (route) => (needsSession(route) ? 401 : byPermission(route, ['rest.assets'])),
    },
    {
      name: 'BASIC with a wrong password',
      isGuessing: true,
      call: basic('guest', 'wrong'),
      expected: () => 401,
    },
    {
      name: 'BASIC with a pending password change',
      call: basic('newcomer', PASSWORD),
      expected: (route) => (isIssue(route) ? 403 : 401),
    },
    {
      name: 'BASIC that has to set up a second factor',
      call: basic('unenrolled', PASSWORD),
      expected: (route) => (isIssue(route) ? 403 : 401),
    },
    {
      name: 'a client certificate that has no second factor to set up',
      call: await certificate('unenrolled'),
      expected: (route) => (needsSession(route) ? 401 : 'IN'),
    },
    {
      name: 'a client certificate with its permission',
      call: await certificate('reader'),
      expected: (route) => (needsSession(route) ? 401 : byPermission(route, ['rest.assets'])),
    },
    {
      name: 'a client certificate with a pending password change',
      call: await certificate('newcomer'),
      expected: (route) => (needsSession(route) ? 401 : isIssue(route) ? 403 : 'IN'),
    },
    { name: 'a client certificate of nobody', call: await certificate('stranger'), expected: () => 401 },
  ];
}
