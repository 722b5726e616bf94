import type { X509Certificate } from 'node:crypto';

import { InvalidRequest, NotFound } from '../../../base/errors.ts';
import { KEYSTORES_V1, KEYSTORES_V2 } from '../../../interface/kura/keystores.ts';
import type { KuraKeyStoreEntry } from '../../../interface/kura/keystores.ts';
import {
  describeKey,
  formatSignature,
  formatName,
  readAlternativeNames,
} from '../../../security/certificate/certificate-description.ts';
import { TLS_KEY_STORE } from '../../../security/certificate/tls-key-store.ts';
import type { KeyStoreEntry, TlsKeyStore } from '../../../security/certificate/tls-key-store.ts';
import { ok } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';

/** Creates the endpoints of `keystores/v1` and `keystores/v2` of Kura. */
export function createKuraKeyStoreRoutes(store: TlsKeyStore): readonly Route[] {
  return [KEYSTORES_V1, KEYSTORES_V2].flatMap(({ listStores, listEntries, readEntry, sign }) => [
    implement(listStores, () =>
      ok([{ keystoreServicePid: TLS_KEY_STORE, type: 'pem' as const, size: store.list().length }]),
    ),
    implement(listEntries, ({ query: { keystoreServicePid, alias } }) => {
      const entries = store.list();
      if (keystoreServicePid !== undefined) {
        if (keystoreServicePid !== TLS_KEY_STORE) throw refuseStore(keystoreServicePid);
        return ok(entries.map((each) => toRecord(each, true)));
      }
      const chosen = entries.filter((each) => alias === undefined || each.alias === alias);
      return ok(chosen.map((each) => toRecord(each, alias !== undefined)));
    }),
    implement(readEntry, ({ query: { keystoreServicePid, alias } }) => {
      if (keystoreServicePid !== TLS_KEY_STORE) throw refuseStore(keystoreServicePid);
      const entry = store.list().find((each) => each.alias === alias);
      if (entry === undefined) throw refuseEntry(`no entry ${quote(alias)}`);
      return ok(toRecord(entry, true));
    }),
    implement(sign, (call) => {
      const { keystoreServicePid, alias, attributes } = call.body;
      call.auditAnnotation = { details: [{ alias, subject: attributes }] };
      try {
        if (keystoreServicePid !== TLS_KEY_STORE) throw refuseStore(keystoreServicePid);
        return ok({ signingRequest: store.sign(call.body) });
      } catch (error) {
        throw asInvalid(error);
      }
    }),
  ]);
}

function refuseStore(pid: string): NotFound {
  return refuseEntry(`no key store ${quote(pid)}; expected ${TLS_KEY_STORE}`);
}

function refuseEntry(detail: string): NotFound {
  return new NotFound({ code: 'KEY_STORE_ENTRY_UNKNOWN', detail });
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** The path exists where the body names what does not: Kura answers 500, and 404 for the others. */
function asInvalid(error: unknown): unknown {
  if (!(error instanceof NotFound)) return error;
  return new InvalidRequest({ code: 'BODY_INVALID', detail: error.detail, cause: error });
}

function toRecord(entry: KeyStoreEntry, isWhole: boolean): KuraKeyStoreEntry {
  const { alias } = entry;
  if (entry.type === 'PRIVATE_KEY') {
    const [leaf] = entry.chain;
    const { kind, bits } = leaf === undefined ? { kind: 'UNKNOWN', bits: 0 } : describeKey(leaf.publicKey);
    return {
      keystoreServicePid: TLS_KEY_STORE,
      alias,
      type: 'PRIVATE_KEY',
      size: bits,
      algorithm: kind,
      ...(isWhole ? { certificateChain: entry.chain.map(toPem) } : {}),
    };
  }
  const { certificate } = entry;
  const names = readAlternativeNames(certificate);
  return {
    keystoreServicePid: TLS_KEY_STORE,
    alias,
    type: 'TRUSTED_CERTIFICATE',
    size: describeKey(certificate.publicKey).bits,
    algorithm: formatSignature(certificate),
    subjectDN: formatName(certificate.subject),
    issuer: formatName(certificate.issuer),
    ...(names.length === 0
      ? {}
      : { subjectAN: names.map(({ kind, text }): [number, string] => [kind, text]) }),
    startDate: certificate.validFromDate.getTime(),
    expirationDate: certificate.validToDate.getTime(),
    ...(isWhole ? { certificate: toPem(certificate) } : {}),
  };
}

/** Kura ends the text with the footer. */
function toPem(certificate: X509Certificate): string {
  return certificate.toString().trimEnd();
}
