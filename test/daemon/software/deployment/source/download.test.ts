import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import {
  isAllowedAddress,
  MAXIMUM_REDIRECTS,
  openDownload,
} from '../../../../../daemon/software/deployment/source/download.ts';
import { fetchPackage } from '../../../../../daemon/software/deployment/source/package-source.ts';
import { parsePackageUrl, toShownUrl } from '../../../../../daemon/software/deployment/source/package-url.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';

const never = new AbortController().signal;

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function read(url: string, clock = systemClock, signal = never): Promise<string> {
  const { chunks } = await openDownload(new URL(url), clock, signal);
  return (await buffer(chunks)).toString();
}

test('a download follows redirects up to a limit', async (t) => {
  const url = await serve(t, ({ url: target = '' }, response) => {
    const left = Number(target.slice(1));
    if (left === 0) response.end('content');
    else response.writeHead(302, { Location: `/${left - 1}` }).end();
  });
  assert.equal(await read(`${url}/${MAXIMUM_REDIRECTS}`), 'content');
  await assert.rejects(read(`${url}/${MAXIMUM_REDIRECTS + 1}`), { reason: 'OTHER_ERROR' });
});

test('a redirect must obey the rules of the first URL', async (t) => {
  const targets = [
    'file:///etc/passwd',
    'ftp://127.0.0.1/a',
    'http://a:b@127.0.0.1/',
    'http://169.254.169.254/',
  ];
  for (const target of targets) {
    const url = await serve(t, (_request, response) => response.writeHead(302, { Location: target }).end());
    await assert.rejects(read(url), ({ code }: { code: string }) => /^(PACKAGE|URL)_/.test(code), target);
  }
});

test('a download that is truncated, refused or unavailable fails', async (t) => {
  const answers: readonly RequestListener[] = [
    (_request, response) => response.writeHead(404).end('no'),
    (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('part', () => response.destroy());
    },
    (_request, response) => response.destroy(),
  ];
  for (const answer of answers) {
    await assert.rejects(read(await serve(t, answer)), { reason: 'OTHER_ERROR' });
  }
  await assert.rejects(read('http://127.0.0.1:1/'), { reason: 'OTHER_ERROR' });
  await assert.rejects(read('http://host.invalid/'), { reason: 'OTHER_ERROR' });
});

test('a download that does not end is aborted at its time limit', async (t) => {
  const clock = new ManualClock();
  const sent = Promise.withResolvers<void>();
  const url = await serve(t, (_request, response) => {
    response.write('part', () => sent.resolve());
  });
  const reading = read(url, clock);
  await sent.promise;
  clock.advance(600_000);
  await assert.rejects(reading, { reason: 'TIMEOUT' });
});

test('an aborted download ends at once', async (t) => {
  const abort = new AbortController();
  const url = await serve(t, () => abort.abort(new Error('given up')));
  await assert.rejects(read(url, systemClock, abort.signal), /given up/);
});

test('a package larger than the limit leaves no file', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'a.dp');
  const url = await serve(t, (_request, response) => response.end(Buffer.alloc(2000)));
  const fetching = fetchPackage({
    url,
    file,
    settings: {
      maximumPackageBytes: 1999,
      fileSourceDirectories: [],
      signaturePolicy: 'off',
      trustedSignersFile: null,
      marketplaceUrl: '',
    },
    clock: systemClock,
    signal: never,
    onProgress: () => undefined,
  });
  await assert.rejects(fetching, { reason: 'OTHER_ERROR' });
  assert.equal(existsSync(file), false);
});

test('link-local, multicast and unspecified addresses are refused in every notation', () => {
  const refused = [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '0.0.0.0',
    '0.1.2.3',
    '::',
    'fe80::1',
    'ff02::1',
    '224.0.0.1',
    '255.255.255.255',
    'fd00:ec2::254',
    'host',
  ];
  for (const address of refused) assert.equal(isAllowedAddress(address), false, address);
  for (const address of ['192.0.2.1', '10.0.0.1', '127.0.0.1', '::1', '2001:db8::1', 'fd00::1']) {
    assert.equal(isAllowedAddress(address), true, address);
  }
});

test('a package URL has the scheme file, http or https and no credentials, and is shown without its query', () => {
  const refused = ['', 'package.dp', 'ftp://a/b', 'http://a:b@c/', 'http://a@c/', 'file://host/a', 'data:,a'];
  for (const text of refused) {
    assert.throws(
      () => parsePackageUrl(text),
      ({ code }: { code: string }) => code.startsWith('URL_'),
      text,
    );
  }
  assert.equal(parsePackageUrl('file:/srv/a.dp').href, 'file:///srv/a.dp');
  assert.equal(toShownUrl('https://a.example/b.dp?key=secret#c'), 'https://a.example/b.dp');
});
