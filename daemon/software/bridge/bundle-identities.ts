import type { BundleId } from '../bundle/bundle.ts';
import type { IdentityStore } from '../../security/identity/identity-store.ts';
import type { Identity, Principal } from '../../security/identity/identity.ts';
import { ASSETS_PERMISSION } from '../../security/identity/permission.ts';

interface BundleIdentitiesOptions {
  readonly identities: Pick<IdentityStore, 'find' | 'create' | 'isNameUsed'>;
  /** Called when a bundle has got its identity. */
  readonly onCreated: (identity: Identity) => void;
}

/** A bundle, as far as its identity depends on it: the versions of a bundle share one. */
interface NamedBundle {
  readonly id: Pick<BundleId, 'name'>;
}

/**
 * The identities under which bundles use assets: that of the bundle `com.example.scaler` is `bundle:com.example.scaler`.
 *
 * A bundle that has never had one gets one with the permission for all assets, which its administrator may narrow. One that
 * was deleted is not created again: its bundle may use nothing.
 */
export class BundleIdentities {
  readonly #options: BundleIdentitiesOptions;

  constructor(options: BundleIdentitiesOptions) {
    this.#options = options;
  }

  /**
   * Creates the identity of a bundle that has never had one.
   *
   * @throws {StoreError} when it cannot be stored
   */
  ensure({ id }: NamedBundle): void {
    const { identities, onCreated } = this.#options;
    const name = nameIdentity(id);
    if (identities.find(name) !== undefined || identities.isNameUsed(name)) return;
    onCreated(identities.create({ name, permissions: [ASSETS_PERMISSION], passwordChangeNeeded: false }));
  }

  /** Returns who calls when a bundle does: the present identity of the bundle, else somebody without any right. */
  callerOf(bundle: NamedBundle): Principal {
    this.ensure(bundle);
    const name = nameIdentity(bundle.id);
    return { identity: this.#options.identities.find(name) ?? createNobody(name), method: 'bundle' };
  }
}

function nameIdentity({ name }: Pick<BundleId, 'name'>): string {
  return `bundle:${name}`;
}

function createNobody(name: string): Identity {
  return {
    id: name,
    name,
    permissions: [],
    passwordChangeNeeded: false,
    credentialsRevision: 0,
    createdAtMs: 0,
  };
}
