import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import {
  MAXIMUM_DESCRIPTION_BYTES,
  Marketplace,
} from '../../../../../daemon/software/deployment/source/marketplace.ts';
import { parseMarketplaceDocument } from '../../../../../daemon/software/deployment/source/marketplace-document.ts';

const DOCUMENT = `<?xml version="1.0" encoding="UTF-8"?>
<marketplace><node id="007" name="Pumps" url="https://market.example/content/pumps?a=1&amp;b=2">
<updateurl><![CDATA[https://market.example/pumps.dp]]></updateurl>
<versioncompatibility><from>0.1.0</from><to>2.0</to></versioncompatibility>
</node><node id="8"><updateurl>https://market.example/other.dp</updateurl></node></marketplace>`;

function withBounds(bounds: string): string {
  return DOCUMENT.replace('<from>0.1.0</from><to>2.0</to>', bounds);
}

async function startMarketplace(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
}

function createMarketplace(marketplaceUrl: string): Marketplace {
  return new Marketplace({ marketplaceUrl: () => marketplaceUrl, version: '1.0.0', clock: systemClock });
}

test('a package of the marketplace is described by its first node', async (t) => {
  const paths: (string | undefined)[] = [];
  const url = await startMarketplace(t, ({ url: path }, response) => {
    paths.push(path);
    response.end(DOCUMENT);
  });
  const link = `${url}marketplace-client-intro?mpc_install=007`;
  assert.deepEqual(await createMarketplace(url).describe(link), {
    nodeId: '007',
    url: 'https://market.example/content/pumps?a=1&b=2',
    dpUrl: 'https://market.example/pumps.dp',
    minServiceVersion: '0.1.0',
    maxServiceVersion: '2.0',
    currentServiceVersion: '1.0.0',
    isCompatible: true,
  });
  assert.deepEqual(paths, ['/base/node/007/api/p']);
});

test('bounds are inclusive; without bounds, or with an invalid one, nothing is compatible', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['<from>1.0.0</from><to>1.0</to>', true],
    ['<from>1.0.1</from>', false],
    ['<to>0.9</to>', false],
    ['<to>1</to>', true],
    ['<from>0.1</from><to></to>', true],
    ['', false],
    ['<from>one</from>', false],
    ['<from>0.1</from><to>two</to>', false],
  ];
  for (const [bounds, expected] of cases) {
    assert.equal(parseMarketplaceDocument(withBounds(bounds), '1.0.0').isCompatible, expected, bounds);
  }
});

test('an invalid description of a package is refused', () => {
  const refused = [
    '',
    'text',
    '<a><b></a>',
    '<marketplace/>',
    '<marketplace><node id="1"/></marketplace>',
    `<!DOCTYPE a [<!ENTITY b "c">]>${DOCUMENT}`,
    '<a>'.repeat(1000) + '</a>'.repeat(1000),
  ];
  for (const xml of refused) {
    assert.throws(() => parseMarketplaceDocument(xml, '1.0.0'), { code: 'MARKETPLACE_ANSWER_INVALID' }, xml);
  }
});

test('only links of the configured marketplace are followed', async () => {
  const marketplace = createMarketplace('https://market.example');
  const refused = [
    'https://other.example/marketplace-client-intro?mpc_install=1',
    'https://market.example:8443/marketplace-client-intro?mpc_install=1',
    'https://user:secret@market.example/marketplace-client-intro?mpc_install=1',
    'https://market.example/marketplace-client-intro',
    'https://market.example/marketplace-client-intro?mpc_install=1&mpc_install=2',
    'https://market.example/marketplace-client-intro?mpc_install=../1',
    'https://market.example/marketplace-client-intro?mpc_install=1a',
    'https://market.example/marketplace-client-intro?mpc_install=-1',
    'https://market.example/marketplace-client-intro?mpc_install=1.5',
    'https://market.example/marketplace-client-intro?mpc_install=%D9%A1',
    'https://market.example/marketplace-client-intro?mpc_install=12345678901234567890',
    'https://market.example/other?mpc_install=1',
    'ftp://market.example/marketplace-client-intro?mpc_install=1',
    'text',
  ];
  for (const link of refused) {
    await assert.rejects(marketplace.describe(link), { code: 'MARKETPLACE_URL_INVALID' }, link);
  }
});

test('a marketplace that fails, closes the connection or sends too much is distinguished from a wrong link', async (t) => {
  const cases: readonly (readonly [RequestListener, string])[] = [
    [(_request, response) => response.writeHead(500).end(), 'MARKETPLACE_UNREACHABLE'],
    [(_request, response) => response.destroy(), 'MARKETPLACE_UNREACHABLE'],
    [
      (_request, response) => response.end(Buffer.alloc(MAXIMUM_DESCRIPTION_BYTES + 1, 32)),
      'MARKETPLACE_ANSWER_INVALID',
    ],
  ];
  for (const [answer, code] of cases) {
    const url = await startMarketplace(t, answer);
    const link = `${url}marketplace-client-intro?mpc_install=1`;
    await assert.rejects(createMarketplace(url).describe(link), { code });
  }
});
