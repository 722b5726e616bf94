import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../../daemon/base/slices.ts';
import { checkProvisionDocument } from '../../../../daemon/configuration/provision/provision-document.ts';
import { mergeProvisions } from '../../../../daemon/configuration/provision/provisioning.ts';
import type { CheckedSource } from '../../../../daemon/configuration/provision/provisioning.ts';
import { createSource } from '../plant-fixture.ts';

function checked(name: string, text: string): CheckedSource {
  const source = createSource(name, text);
  const { document } = finish(checkProvisionDocument(source.value));
  return { source, document: document ?? assert.fail('the outline is faulty') };
}

test('object sections are merged key by key and later sources win', () => {
  const document = {
    rest: { allowedPorts: [443, 4443], basicAuthenticationEnabled: true },
    banners: { preLogin: { enabled: true, message: 'old' } },
  };
  const merged = mergeProvisions(document, [
    checked('a', 'rest: {allowedPorts: [8443]}\nbanners: {preLogin: {message: a}}\n'),
    checked('b', 'banners: {preLogin: {message: b}, postLogin: {enabled: true}}\n'),
  ]);
  assert.deepEqual(merged.document, {
    rest: { allowedPorts: [8443], basicAuthenticationEnabled: true },
    banners: { preLogin: { enabled: true, message: 'b' }, postLogin: { enabled: true } },
  });
});

test('items are replaced by pid at their position, appended when new, and never removed', () => {
  const document = { drivers: [{ pid: 'a', x: 1 }, { pid: 'b', x: 1, y: 1 }, { pid: 'c' }] };
  const merged = mergeProvisions(document, [
    checked('one', 'drivers: [{pid: d}, {pid: b, x: 2}]\n'),
    checked('two', 'drivers: [{pid: e}, {pid: d, x: 3}]\n'),
  ]);
  assert.deepEqual(merged.document, {
    drivers: [{ pid: 'a', x: 1 }, { pid: 'b', x: 2 }, { pid: 'c' }, { pid: 'd', x: 3 }, { pid: 'e' }],
  });
});

test('the given document stays unchanged', () => {
  const document = { rest: { allowedPorts: [1] }, drivers: [{ pid: 'a' }] };
  const before = structuredClone(document);
  mergeProvisions(document, [checked('a', 'rest: {allowedPorts: []}\ndrivers: [{pid: a, x: 1}]\n')]);
  assert.deepEqual(document, before);
});

test('merging twice has the same result as merging once', () => {
  const sources = [checked('a', 'rest: {allowedPorts: [8443]}\ndrivers: [{pid: x}]\nassets: [{pid: y}]\n')];
  const once = mergeProvisions({ drivers: [{ pid: 'w' }] }, sources).document;
  assert.deepEqual(mergeProvisions(once, sources).document, once);
});

test('identities are listed and never part of the document', () => {
  const merged = mergeProvisions({}, [
    checked('a', 'identities:\n  - name: scada\n    password: secret-1\n'),
    checked('b', 'identities: [{name: historian}]\n'),
  ]);
  assert.deepEqual(
    merged.identities.map(({ identity }) => identity.name),
    ['scada', 'historian'],
  );
  assert.deepEqual(merged.document, {});
  assert.equal(merged.identities[0]?.locate({ path: ['password'], message: 'm' }).line, 3);
});

test('an error is located in the source of the invalid part', () => {
  const merged = mergeProvisions({ drivers: [{ pid: 'a' }, { pid: 'b' }], rest: { allowedPorts: [1] } }, [
    checked('one', 'drivers:\n  - pid: c\n    port: 1\n  - pid: b\nbanners:\n  preLogin:\n    message: 5\n'),
    checked('two', '# comment\ndrivers:\n  - pid: c\n    port: 2\n'),
  ]);
  const locate = (...path: (string | number)[]) => {
    const found = merged.locate({ path, message: 'm' });
    return found && `${found.file}:${String(found.line)}: ${String(found.key)}`;
  };
  assert.equal(locate('drivers', 2, 'port'), 'two:4: drivers[0].port');
  assert.equal(locate('drivers', 1, 'host'), 'one:4: drivers[1].host');
  assert.equal(locate('banners', 'preLogin', 'message'), 'one:7: banners.preLogin.message');
  assert.equal(locate('drivers', 0, 'port'), undefined);
  assert.equal(locate('rest', 'allowedPorts', 0), undefined);
});
