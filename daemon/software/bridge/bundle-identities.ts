import type { BundleId } from '../bundle/bundle.ts';
import type { IdentityStore } from '../../security/identity/identity-store.ts';
import type { Identity, Principal } from '../../security/identity/identity.ts';
import { ASSETS_PERMISSION } from '../../security/identity/permission.ts';

interface BundleIdentitiesOptions {
  readonly identities: Pick<IdentityStore, 'find' | 'create' | 'isNameUsed'>;
  /** Called after an identity has been created. */
  readonly onCreated: (identity: Identity) => void;
}

/** Part of a bundle that determines its identity: all versions share one. */
interface NamedBundle {
  readonly id: Pick<BundleId, 'name'>;
}

/**
 * Identities under which bundles use assets: that of the bundle `com.example.scaler` is `bundle:com.example.scaler`.
 *
 * A new identity has the permission for all assets, which an administrator may restrict. A deleted identity is not created again:
 * its bundle has no access.
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

  /** Returns the caller for calls of a bundle: its current identity, or one without permissions if that was deleted. */
  callerOf(bundle: NamedBundle): Principal {
    this.ensure(bundle);
    const name = nameIdentity(bundle.id);
    return {
      identity: this.#options.identities.find(name) ?? createIdentityWithoutPermissions(name),
      method: 'bundle',
    };
  }
}

function nameIdentity({ name }: Pick<BundleId, 'name'>): string {
  return `bundle:${name}`;
}

function createIdentityWithoutPermissions(name: string): Identity {
  return {
    id: name,
    name,
    permissions: [],
    passwordChangeNeeded: false,
    credentialsRevision: 0,
    createdAtMs: 0,
  };
}
