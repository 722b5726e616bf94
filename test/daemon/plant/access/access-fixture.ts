import { AssetAccess } from '../../../../daemon/plant/access/asset-access.ts';
import type { GrantedAsset } from '../../../../daemon/plant/access/granted-asset.ts';
import type {
  GrantedListener,
  GrantedListenRequest,
} from '../../../../daemon/plant/access/granted-listener.ts';
import { NotFound } from '../../../../daemon/base/errors.ts';
import type { Grant } from '../../../../daemon/security/identity/grant.ts';
import type { Identity, Principal } from '../../../../daemon/security/identity/identity.ts';
import { ScriptedDriver } from '../../../support/scripted-driver.ts';
import { createListeningBench, ListenerProbe } from '../asset/listening-fixture.ts';

/** Creates an identity without permissions. */
export function createGrantee(grants: readonly Grant[], changes: Partial<Identity> = {}): Identity {
  return {
    id: 'id-1',
    name: 'operator',
    permissions: [],
    grants,
    passwordChangeNeeded: false,
    credentialsRevision: 1,
    createdAtMs: 0,
    ...changes,
  };
}

/** An asset `pump` with the channels level (7), total (1), speed (to be written) and spare (disabled), and one caller. */
export function createAccessBench(grants: readonly Grant[]) {
  const bench = createListeningBench(new ScriptedDriver());
  const { asset, clock } = bench;
  bench.driver.values.set('speed', 0);
  const present: { identity: Identity | undefined } = { identity: createGrantee(grants) };
  const get = (pid: string): typeof asset => {
    if (pid === 'pump') return asset;
    throw new NotFound({ code: 'ASSET_UNKNOWN', detail: `unknown asset "${pid}"` });
  };
  const access = new AssetAccess({
    registry: { find: (pid) => (pid === 'pump' ? asset : undefined), get, list: () => [asset] },
    identities: { find: () => present.identity },
    clock,
  });
  const caller = (): Principal => ({ identity: present.identity ?? createGrantee([]), method: 'session' });
  return {
    ...bench,
    access,
    caller,
    open: (): GrantedAsset => access.open(caller(), 'pump'),
    /** Changes the caller for later requests, and for what goes on; undefined deletes it. */
    replace: (changes: Partial<Identity> | undefined): void => {
      present.identity = changes && createGrantee(grants, changes);
    },
    listen: (request: Partial<GrantedListenRequest> = {}): ListenerProbe & { listener: GrantedListener } => {
      const output = new ListenerProbe();
      const wish = { deadbandOf: () => 0, minimumIntervalMs: 1000, ...request, output };
      const listener = access.open(caller(), 'pump').listen(wish);
      return Object.assign(output, { listener, control: listener });
    },
  };
}
