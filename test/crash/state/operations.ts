import { readFileSync } from 'node:fs';

import { getItem, putItem } from '../../../daemon/configuration/section-edit.ts';
import type { ManagedDocument } from '../../../daemon/configuration/managed-document.ts';
import type { Principal } from '../../../daemon/security/identity/identity.ts';
import { INITIAL_ADMINISTRATOR } from '../../../daemon/security/identity/initial-administrator.ts';
import { computeCode, stepAt } from '../../../daemon/security/identity/second-factor/one-time-code.ts';
import { parseTagSheet } from '../../support/tag-sheets.ts';
import { loadSettingsFile } from '../../../daemon/settings/settings-file.ts';
import { createAuthenticatorApp } from '../../support/authenticator-app.ts';
import type { Keeper } from './keeper.ts';

/** How long a change may wait for its confirmation, in seconds. */
const CONFIRM_WITHIN_SECONDS = 60;

/** Does one operation as the REST interface does it. */
export type Operation = (keeper: Keeper, parameters: readonly string[]) => Promise<void>;

/** The operations, by name. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  /** Merges provision files while running: FILE. */
  async reload({ applier }, [file = '']) {
    await applier.apply((await loadSettingsFile(file)).provisionSources);
  },

  /** Removes what no provision file names any longer, as `penstock config prune` does: FILE is what there is. */
  async prune(keeper) {
    const request = { basis: undefined, isDryRun: false, confirmWithinSeconds: undefined };
    await keeper.prune({ ...request, caller: callerOf(keeper) });
  },

  /** Puts a document in force: FILE. */
  async apply(keeper, [file = '']) {
    await change(keeper, () => readJson(file));
  },

  /** Puts a document in force and leaves it unconfirmed: FILE. */
  async try(keeper, [file = '']) {
    await change(keeper, () => readJson(file), CONFIRM_WITHIN_SECONDS);
  },

  /** Puts a document in force and confirms it: FILE. */
  async confirm(keeper, [file = '']) {
    await change(keeper, () => readJson(file), CONFIRM_WITHIN_SECONDS);
    keeper.applier.confirm();
  },

  /** Puts a document in force and waits until it is taken back: FILE. */
  async revert(keeper, [file = '']) {
    await change(keeper, () => readJson(file), CONFIRM_WITHIN_SECONDS);
    const isReverted = keeper.hears('configuration.reverted').then(() => true);
    const isFailed = keeper.hears('configuration.notReverted').then(() => false);
    keeper.clock.advance(CONFIRM_WITHIN_SECONDS * 1000);
    if (!(await Promise.race([isReverted, isFailed]))) throw new Error('the change is not taken back');
  },

  /** Puts a previous document in force again: ID. */
  async rollback(keeper, [id = '']) {
    await change(keeper, () => keeper.configuration.getDocumentOf(Number(id)));
  },

  /** Replaces the channels of an asset by those of a tag sheet: PID FILE. */
  async tags(keeper, [pid = '', file = '']) {
    await change(keeper, (document) => {
      const { channels } = parseTagSheet(
        readFileSync(file, 'utf8'),
        keeper.configuration.describeChannelOf(pid),
      );
      return putItem(document, 'assets', pid, { ...(getItem(document, 'assets', pid) as object), channels });
    });
  },

  /** NAME PASSWORD PERMISSION... */
  async create(keeper, [name = '', password, ...permissions]) {
    await keeper.administration.create({ name, password, permissions }, callerOf(keeper));
  },

  /** NAME PASSWORD: as `penstock identity reset-password` does. */
  async reset(keeper, [name = '', password]) {
    const request = { name, password, isPasswordEnabled: true, passwordChangeNeeded: true };
    await keeper.administration.change(request, callerOf(keeper));
  },

  /** NAME PERMISSION... */
  async permit(keeper, [name = '', ...permissions]) {
    await keeper.administration.change({ name, permissions }, callerOf(keeper));
  },

  /** NAME */
  async delete(keeper, [name = '']) {
    await keeper.administration.remove(name, callerOf(keeper));
  },

  /** NAME CURRENT NEW: as an identity does itself. */
  async password({ passwordChange }, [identityName = '', currentPassword = '', newPassword = '']) {
    await passwordChange.change({
      identityName,
      currentPassword,
      newPassword,
      remoteAddress: '127.0.0.1',
    });
  },

  /** NAME PASSWORD: sets up a second factor, as an identity does itself. */
  async factor({ enrolment, clock }, [identityName = '', currentPassword = '']) {
    const caller = { identityName, sessionId: 'session' };
    const { secret } = await enrolment.begin({ ...caller, currentPassword, remoteAddress: '127.0.0.1' });
    const app = createAuthenticatorApp(secret, () => clock.epochMs());
    enrolment.confirm({ ...caller, secondFactorCode: app() });
  },

  /** NAME PASSWORD: logs in with the code after that of `factor`. */
  async login({ login, identities, clock }, [username = '', password = '']) {
    const { secret } = identities.findSecondFactor(username) ?? {};
    if (!(secret instanceof Uint8Array)) throw new Error('the identity has no second factor');
    const secondFactorCode = computeCode(secret, stepAt(clock.epochMs()) + 1);
    await login.byPassword({
      username,
      password,
      secondFactorCode,
      origin: { remoteAddress: '127.0.0.1', port: 0 },
    });
  },
};

async function change(
  { applier }: Keeper,
  edit: (document: ManagedDocument) => unknown,
  confirmWithinSeconds?: number,
): Promise<void> {
  await applier.change({ basis: undefined, edit, isDryRun: false }, confirmWithinSeconds);
}

function callerOf({ identities }: Keeper): Principal {
  return { identity: identities.get(INITIAL_ADMINISTRATOR), method: 'certificate' };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8')) as unknown;
}
