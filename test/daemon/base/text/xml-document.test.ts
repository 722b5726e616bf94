import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseXml, XmlError } from '../../../../daemon/base/text/xml-document.ts';

test('parseXml reads elements, attributes, texts, literal texts and references', () => {
  const xml = `<?xml version="1.0"?><!-- a -->
<n:a xmlns:n="urn:x" n:k="1&amp;2"><b> x &lt;<![CDATA[&lt;]]>&#65;&#x42;</b><!-- b --><c/></n:a>`;
  const [a] = parseXml(xml);
  assert.equal(a?.name, 'a');
  assert.equal(a.attributes['k'], '1&2');
  assert.deepEqual(
    a.children.map(({ name, text }) => [name, text]),
    [
      ['b', ' x <&lt;AB'],
      ['c', ''],
    ],
  );
});

test('parseXml refuses a document type, what is not well-formed, and deep trees', () => {
  for (const xml of [
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<a><b></a>',
    'a',
    `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`,
  ]) {
    assert.throws(() => parseXml(xml), XmlError, xml);
  }
});
