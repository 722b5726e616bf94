import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { BrowserContextOptions, Page } from 'playwright-core';

import { getClientCertificate, getServerCertificate } from '../support/certificate-authority.ts';
import { startChromium } from '../support/chromium.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { buildPackage } from '../support/package-builder.ts';
import { needs } from '../support/tests-that-need.ts';

const PASSWORD = 'browser-test-password';
const DEPLOY = '/services/deploy/v2';
const PAGE = readFileSync(path.join(import.meta.dirname, 'other-origins.html'), 'utf8');

/** Requests that a page can send without preflight (Fetch, 3.2.2). */
const ATTEMPTS = [
  { target: `${DEPLOY}/_upload`, type: 'multipart/form-data' },
  { target: `${DEPLOY}/_install`, type: 'text/plain' },
  { target: '/services/identity/v1/identities', type: 'text/plain' },
  { target: '/services/session/v1/login/password', type: 'text/plain' },
  { target: '/services/session/v1/login/certificate', type: 'application/x-www-form-urlencoded' },
  { target: '/services/token/jwt/v1/issue', type: 'application/x-www-form-urlencoded' },
  { target: '/services/token/jwt/v1/refresh', type: 'text/plain' },
] as const;

/** By a form that leaves the page or stays in a frame of it, by `fetch` without CORS, or by a beacon. */
type Way = 'form' | 'hiddenForm' | 'fetch' | 'beacon';

/** The credentials of an administrator that a browser keeps. */
type Remembered = 'BASIC' | 'certificate';

interface Attempt {
  readonly url: string;
  readonly type: string;
  readonly way: Way;
  /** The package as base64. */
  readonly content: string;
}

test(
  'no page of another host acts with the credentials that a browser remembers, and the audit tells of it',
  needs('chromium'),
  async (t) => {
    const { content, others, browse, state, countRefusals } = await setUp(t);
    const before = await state();
    for (const { other, host, ways } of others) {
      for (const remembered of ways) {
        const { context, base } = await browse(remembered, host);
        const refusedBefore = await countRefusals();
        const page = await context.newPage();
        await page.goto(other);
        for (const { target, type } of ATTEMPTS) {
          const status = (way: Way) => attempt(page, { url: `${base}${target}`, type, way, content });
          assert.equal(await status('hiddenForm'), 403, `${other}, ${remembered}: ${target}`);
          // The browser hides these answers from every page.
          assert.equal(await status('fetch'), 0);
          assert.equal(await status('beacon'), 0);
        }
        const seen = await call(page, 'readAnswers', `${base}${DEPLOY}`);
        assert.deepEqual(seen, { fetched: 'refused', put: 'refused', image: 'refused' });
        const upload = { url: `${base}${DEPLOY}/_upload`, type: 'multipart/form-data', content };
        assert.equal(await attempt(page, { ...upload, way: 'form' }), 403);
        // Three ways for each attempt, the request that asks first for PUT aside, and the form.
        assert.equal((await countRefusals()) - refusedBefore, 3 * ATTEMPTS.length + 1);
        await context.close();
      }
    }
    assert.deepEqual(await state(), before);
  },
);

test('the same page of the own origin may act with them', needs('chromium'), async (t) => {
  const { content, browse, state } = await setUp(t);
  for (const remembered of ['BASIC', 'certificate'] as const) {
    const { context, base } = await browse(remembered);
    const page = await context.newPage();
    await page.goto(`${base}/healthz`);
    await page.setContent(PAGE);
    const issue = { url: `${base}/services/token/jwt/v1/issue`, type: 'text/plain', content: '' };
    assert.equal(await attempt(page, { ...issue, way: 'fetch' }), 200, remembered);
    const upload = { url: `${base}${DEPLOY}/_upload`, type: 'multipart/form-data', content };
    assert.equal(await attempt(page, { ...upload, way: 'fetch' }), 200, remembered);
    assert.equal(await attempt(page, { ...upload, way: 'form' }), 200, remembered);
    await context.close();
  }
  assert.ok((await state()).operations > 0, 'the package is installed');
});

test(
  'a page of the own host may act with them from another port, but not read',
  needs('chromium'),
  async (t) => {
    const { browse, elsewhere } = await setUp(t);
    for (const remembered of ['BASIC', 'certificate'] as const) {
      const { context, base } = await browse(remembered);
      const page = await context.newPage();
      await page.goto(`https://127.0.0.1:${elsewhere}/`);
      const issue = { url: `${base}/services/token/jwt/v1/issue`, type: 'text/plain', content: '' };
      assert.equal(await attempt(page, { ...issue, way: 'hiddenForm' }), 200, remembered);
      const seen = await call(page, 'readAnswers', `${base}${DEPLOY}`);
      assert.deepEqual(seen, { fetched: 'refused', put: 'refused', image: 'refused' });
      await context.close();
    }
  },
);

test(
  'a page of one port logs in by certificate on the other and has a session on both',
  needs('chromium'),
  async (t) => {
    const { browse, ports } = await setUp(t);
    const { context, base } = await browse('certificate');
    const page = await context.newPage();
    const console = `https://127.0.0.1:${ports.https}`;
    await page.goto(`${console}/healthz`);
    await page.setContent(PAGE);
    const login = { url: `${base}/services/session/v1/login/certificate`, type: 'text/plain', content: '' };
    await attempt(page, { ...login, way: 'fetch' });
    const answer = await page.goto(`${console}/services/session/v1/xsrfToken`);
    assert.equal(answer?.status(), 200);
    await context.close();
  },
);

/** A gateway, pages elsewhere, and browsers in which an administrator is known to the gateway. */
async function setUp(t: TestContext) {
  const provision = {
    rest: {
      basicAuthenticationEnabled: true,
      statelessCertificateAuthenticationEnabled: true,
      jwtAuthenticationEnabled: true,
    },
    identities: [{ name: 'chief', permissions: ['rest.admin'], password: PASSWORD }],
  };
  const gateway = await startGateway(t, { config: { http: { names: ['gateway.localhost'] }, provision } });
  const [port = 0] = gateway.httpsPorts;
  const [clientAuthPort = 0] = gateway.clientAuthPorts;
  const { certificate, privateKey } = await getClientCertificate('chief');
  const elsewhere = await servePage(t);
  const chromium = await startChromium(t);

  async function browse(remembered: Remembered, host = '127.0.0.1') {
    const base = `https://${host}:${remembered === 'BASIC' ? port : clientAuthPort}`;
    const pair = { origin: base, cert: Buffer.from(certificate), key: Buffer.from(privateKey) };
    const basic = { origin: base, username: 'chief', password: PASSWORD };
    const options: BrowserContextOptions =
      remembered === 'BASIC' ? { httpCredentials: basic } : { clientCertificates: [pair] };
    // The answers of the gateway let no script run, so that of the test is let in beside their policy.
    const context = await chromium.newContext({ ignoreHTTPSErrors: true, bypassCSP: true, ...options });
    const page = await context.newPage();
    assert.equal((await page.goto(`${base}${DEPLOY}`))?.status(), 200, `${remembered} is known`);
    return { context, base };
  }

  const ask = async (place: string) =>
    (await send({ port: clientAuthPort, certificate, privateKey }, 'GET', place)).json;

  async function countRefusals(): Promise<number> {
    const { events } = (await ask('/services/audit/v1/events?limit=1000')) as {
      readonly events: readonly { readonly detail?: { readonly code?: string } }[];
    };
    return events.filter(({ detail }) => detail?.code === 'ORIGIN_REFUSED').length;
  }

  return {
    content: buildPackage({ symbolicName: 'intruder' }).toString('base64'),
    others: listOthers(elsewhere),
    elsewhere,
    ports: { https: port },
    countRefusals,
    browse,
    state: async () => ({
      operations: ((await ask(`${DEPLOY}/_status`)) as readonly unknown[]).length,
      identities: await ask('/services/identity/v1/identities'),
    }),
  };
}

/** Lists pages of another site, and of another host of the same one, with the host that the gateway has to them. */
function listOthers(port: number) {
  const certificateToo: readonly Remembered[] = ['BASIC', 'certificate'];
  return [
    { other: `https://localhost:${port}/`, host: '127.0.0.1', ways: certificateToo },
    // Only a browser finds such hosts on the loopback; the client that sends certificates in its place does not.
    {
      other: `https://panel.gateway.localhost:${port}/`,
      host: 'gateway.localhost',
      ways: ['BASIC'] as readonly Remembered[],
    },
  ];
}

/** Serves the page on the loopback and returns its port. */
async function servePage(t: TestContext): Promise<number> {
  const { certificate, privateKey } = await getServerCertificate();
  const server = createServer({ cert: certificate, key: privateKey }, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Has a page send a request and returns the status of its answer; 0 when the browser hides it. */
async function attempt(page: Page, sent: Attempt): Promise<number> {
  // An answer whose body is not read does not finish.
  const status = Promise.any([
    page.waitForEvent('response', (answer) => answer.url() === sent.url).then((answer) => answer.status()),
    page.waitForEvent('requestfailed', (request) => request.url() === sent.url).then(() => 0),
  ]);
  await call(page, 'sendRequest', sent);
  return status;
}

/** Calls a function of the page. */
function call(page: Page, name: string, argument: unknown): Promise<unknown> {
  return page.evaluate(`${name}(${JSON.stringify(argument)})`);
}
