import assert from 'node:assert/strict';
import { test } from 'node:test';

import { check, formatPath } from '../../../../daemon/base/schema.ts';
import {
  checkTokenSettings,
  tokenIssuingServicesSchema,
  tokenVerificationServicesSchema,
} from '../../../../daemon/settings/token-settings.ts';
import type { TokenSections } from './token-fixture.ts';
import { parseSettings } from './token-fixture.ts';

const faultsOf = (sections: TokenSections) =>
  checkTokenSettings(parseSettings(sections)).map(({ path }) => formatPath(path));

test('the defaults match the documentation and are consistent', () => {
  const settings = parseSettings();
  assert.deepEqual(settings, {
    rest: {
      jwtAuthenticationEnabled: false,
      tokenIssuingServiceTarget: '',
      tokenVerificationServiceTarget: '',
      jwtAccessTokenDurationSeconds: 60,
      jwtRefreshTokenDurationSeconds: 900,
      jwtUsedRefreshTokenRetentionSeconds: 300,
      jwtUsedRefreshTokensPersistent: false,
    },
    tokenIssuingServices: [
      {
        pid: 'local',
        issuer: 'penstock',
        maximumTokenLifetimeSeconds: 3600,
        algorithm: 'ES256',
        privateKeyFile: null,
        certificateFile: null,
      },
    ],
    tokenVerificationServices: [
      {
        pid: 'local',
        trustedCertificates: [{ issuingService: 'local' }],
        trustedIssuers: ['penstock'],
        clockSkewToleranceSeconds: 30,
        requireValidCertificate: true,
      },
    ],
  });
  assert.deepEqual(checkTokenSettings(settings), []);
});

test('the retention covers the clock skew of the active verification service', () => {
  const services = [
    { pid: 'a', clockSkewToleranceSeconds: 30 },
    { pid: 'b', clockSkewToleranceSeconds: 60 },
  ];
  const fault = 'rest.jwtUsedRefreshTokenRetentionSeconds';
  const at = (seconds: number, target: string) =>
    faultsOf({
      rest: { jwtUsedRefreshTokenRetentionSeconds: seconds, tokenVerificationServiceTarget: target },
      tokenVerificationServices: services,
    });
  assert.deepEqual(at(30, ''), []);
  assert.deepEqual(at(29, ''), [fault]);
  assert.deepEqual(at(59, 'b'), [fault]);
  assert.deepEqual(at(60, 'b'), []);
});

test('invalid references and pids are errors at their positions', () => {
  assert.deepEqual(
    faultsOf({
      tokenIssuingServices: [{ pid: 'a' }, { pid: 'a' }],
      tokenVerificationServices: [
        { pid: 'b', trustedCertificates: [{ file: '/x' }, { issuingService: 'z' }] },
        { pid: 'b', trustedCertificates: [] },
      ],
    }),
    [
      'tokenIssuingServices[1].pid',
      'tokenVerificationServices[1].pid',
      'tokenVerificationServices[0].trustedCertificates[1].issuingService',
    ],
  );
});

test('an issuing service has a pid that can name a directory, an algorithm of the list, and both files or none', () => {
  for (const wrong of [
    ...['', '..', '.', '../x', 'a/b', '-a', 'a b', 'a'.repeat(65)].map((pid) => ({ pid })),
    ...['none', 'HS256', 'ES512', 'es256'].map((algorithm) => ({ pid: 'a', algorithm })),
    { pid: 'a', privateKeyFile: '/x' },
    { pid: 'a', certificateFile: '/x' },
    { pid: 'a', maximumTokenLifetimeSeconds: 0 },
    { pid: 'a', issuer: '' },
    { pid: 'a', unknown: 1 },
  ]) {
    assert.ok(check(tokenIssuingServicesSchema, [wrong]).faults, JSON.stringify(wrong));
  }
  const files = { privateKeyFile: '/x.key', certificateFile: '/x.crt' };
  assert.equal(check(tokenIssuingServicesSchema, [{ pid: 'a', ...files }]).faults, undefined);
});

test('a verification service that names no certificates trusts those of the issuing service local', () => {
  const sections = { tokenVerificationServices: [{ pid: 'a', clockSkewToleranceSeconds: 0 }] };
  assert.deepEqual(parseSettings(sections).tokenVerificationServices[0]?.trustedCertificates, [
    { issuingService: 'local' },
  ]);
  const other = { ...sections, tokenIssuingServices: [{ pid: 'other' }] };
  assert.deepEqual(faultsOf(other), ['tokenVerificationServices[0].trustedCertificates[0].issuingService']);
});

test('a trusted certificate is that of an issuing service, a file or a text, and one of them', () => {
  for (const wrong of [
    {},
    { issuingService: 'a', file: '/x' },
    { url: 'https://192.0.2.1' },
    'a',
    { file: '' },
  ]) {
    const service = [{ pid: 'a', trustedCertificates: [wrong] }];
    assert.ok(check(tokenVerificationServicesSchema, service).faults, JSON.stringify(wrong));
  }
});
