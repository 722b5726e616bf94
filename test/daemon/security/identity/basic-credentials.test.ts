import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readBasicCredentials } from '../../../../daemon/security/identity/basic-credentials.ts';

const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

test('readBasicCredentials reads the examples of RFC 7617', () => {
  assert.deepEqual(readBasicCredentials('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='), {
    name: 'Aladdin',
    password: 'open sesame',
  });
  assert.deepEqual(readBasicCredentials('Basic dGVzdDoxMjPCow=='), { name: 'test', password: '123£' });
});

test('readBasicCredentials accepts the scheme in any case', () => {
  assert.ok(readBasicCredentials(`bAsIc  ${encode('a:b')}`));
});

test('readBasicCredentials splits at the first colon', () => {
  assert.deepEqual(readBasicCredentials(`Basic ${encode('name:a:b::')}`), {
    name: 'name',
    password: 'a:b::',
  });
  assert.deepEqual(readBasicCredentials(`Basic ${encode(':')}`), { name: '', password: '' });
});

test('readBasicCredentials keeps a byte order mark and white space', () => {
  assert.equal(readBasicCredentials(`Basic ${encode('\ufeffname: p ')}`)?.name, '\ufeffname');
  assert.equal(readBasicCredentials(`Basic ${encode('name: p ')}`)?.password, ' p ');
});

test('readBasicCredentials refuses anything else', () => {
  const valid = encode('name:password');
  const wrong = [
    undefined,
    '',
    'Basic',
    'Basic ',
    `Bearer ${valid}`,
    `Basic${valid}`,
    `Basic ${valid}=`,
    `Basic ${valid} `,
    `Basic ${valid}, Basic ${valid}`,
    `Basic ${encode('a:b').slice(0, -1)}`,
    'Basic YTpi*',
    'Basic YTp_',
    // The unused bits are not zero.
    'Basic YTpiYh==',
    `Basic ${encode('no colon')}`,
    `Basic ${encode('name:pass\u0000word')}`,
    `Basic ${encode('name:pass\r\n')}`,
    `Basic ${encode(new Uint8Array([0x61, 0x3a, 0xff]))}`,
    `Basic ${encode(`name:${'x'.repeat(8192)}`)}`,
  ];
  for (const field of wrong) assert.equal(readBasicCredentials(field), undefined, field?.slice(0, 40));
});
