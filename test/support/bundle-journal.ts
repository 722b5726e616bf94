import assert from 'node:assert/strict';

import { systemClock } from '../../daemon/base/clock.ts';
import type { Principal } from '../../daemon/security/identity/identity.ts';
import { BundleJournals } from '../../daemon/software/bridge/journal/bundle-journals.ts';
import type { OpenJournal } from '../../daemon/software/bridge/journal/bundle-journals.ts';
import type { BundleSession } from '../../daemon/software/bundle/bundle-host.ts';
import { parsePermissions } from '../../daemon/software/bundle/bundle-permissions.ts';
import { decodeBatch } from '../../daemon/software/bundle/message/journal-columns.ts';
import type { BundleJournal } from '../../daemon/software/bundle/runner/context.ts';
import { createMemoryLogger } from './memory-logger.ts';

const CALLER: Principal = {
  identity: {
    id: 'bundle:sender',
    name: 'bundle:sender',
    permissions: ['rest.assets'],
    passwordChangeNeeded: false,
    credentialsRevision: 0,
    createdAtMs: 0,
  },
  method: 'bundle',
};

/** Returns the journal of a gateway as a bundle that runs in this process reads it: through the same code, without the link. */
export function createBundleJournal(open: OpenJournal): (recorder: string) => BundleJournal {
  const session: BundleSession = {
    id: { name: 'sender', version: '1.0.0' },
    permissions: parsePermissions({ permissions: '' }),
    call: () => Promise.reject(new Error('it is not called')),
    notify: () => undefined,
  };
  const journals = new BundleJournals({
    findJournal: () => open,
    access: { mayReadRecorded: () => true, list: () => [], open: () => assert.fail('no asset is listed') },
    callerOf: () => CALLER,
    logger: createMemoryLogger(),
    clock: systemClock,
  });
  const never = new AbortController().signal;
  return (recorder) => ({
    channels: () => Promise.reject(new Error('there are no assets here')),
    // Each answers later, as over a link.
    tail: () => Promise.resolve().then(() => journals.tail(session, { recorder })),
    acknowledged: () => Promise.resolve().then(() => journals.acknowledged(session, { recorder })),
    async read({ after, limit, waitMs, signal = never } = {}) {
      return decodeBatch(await journals.read(session, { recorder, after, limit, waitMs }, signal));
    },
    acknowledge: (cursor) =>
      Promise.resolve().then(() => journals.acknowledge(session, { recorder, cursor })),
  });
}
