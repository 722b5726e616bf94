import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FINDING_SENTENCES } from '../../daemon/interface/finding-sentences.ts';
import { GERMAN_FINDINGS } from '../../daemon/console/text/gateway/findings.ts';
import { GERMAN_CAUSES } from '../../daemon/console/text/gateway/cause-messages.ts';
import { GERMAN_STATUSES } from '../../daemon/console/text/gateway/opcua-statuses.ts';

import { StatusCodes } from 'node-opcua';

const namesIn = (sentence: string): readonly string[] =>
  [...sentence.matchAll(/\{(\w+)&?\}/g)].map(([, name = '']) => name).toSorted();

test('every finding of the gateway has a German sentence with the same values, and no other code has one', () => {
  assert.deepEqual(Object.keys(GERMAN_FINDINGS).toSorted(), Object.keys(FINDING_SENTENCES).toSorted());
  const germanOf = new Map<string, string>(Object.entries(GERMAN_FINDINGS));
  for (const [code, sentence] of Object.entries(FINDING_SENTENCES))
    assert.deepEqual(namesIn(germanOf.get(code) ?? ''), namesIn(sentence), code);
});

test('a German finding is a phrase to which a full stop can be added', () => {
  for (const sentence of Object.values(GERMAN_FINDINGS)) assert.match(sentence, /[^.!?"”]$/u);
});

test('a German status has the name of an OPC UA status, and is one phrase', () => {
  for (const [name, words] of Object.entries(GERMAN_STATUSES)) {
    assert.ok(name in StatusCodes || name === 'Bad' || name === 'Uncertain', name);
    assert.match(words, /^\p{Lu}[^."”()]*\p{L}$/u);
  }
});

test('every status of a server for a value, a request, a session or a certificate has German words', () => {
  // Parts of the specification that the gateway does not use: history, alarms, queries, discovery, changes of the address space.
  const others =
    /Condition|Dialog|Shelv|Event|History|Aggregate|Entry|Bound|Timestamp(?:Not|Arg)|Filter(?:Op|El|Lit)|ContentFilter|Query|Ticket|Transaction|Refresh|Reference(?!TypeId|OutOf)|BrowseNameDup|NodeId(?:Rejected|Exists)|ParentNode|SourceNode|TargetNode|NodeAttributes|TypeDefinition|SelfReference|DeleteRights|ServerIndex|View(?:Time|Param|Vers)|Semaphore|DiscoveryUrl|ServerName|DataSet|AlreadyExists|_|Stream|Block|Abandoned|WaitingForResponse|NoDataAvailable/;
  const missing = Object.keys(StatusCodes).filter(
    (name) => /^(?:Bad|Uncertain)/.test(name) && !others.test(name) && GERMAN_STATUSES[name] === undefined,
  );
  assert.deepEqual(missing, []);
  assert.equal(GERMAN_CAUSES['BadNodeIdUnknown'], undefined);
});
