import type { Words } from '../words.ts';
import type { LinkEnded } from './broker-link.ts';

const CLIENT_ID = {
  en: 'set "clientId" to one that the broker accepts',
  de: 'Wählen Sie eine „clientId“, die der Broker annimmt',
};
const CREDENTIALS = { en: 'correct "user" and "password"', de: 'Berichtigen Sie „user“ und „password“' };
const ACCESS = {
  en: 'correct "user" and "password", or allow this client at the broker',
  de: 'Berichtigen Sie „user“ und „password“, oder erlauben Sie diesen Client am Broker',
};

/** By reason code and return code of CONNACK. */
const BY_REASON: Readonly<Record<number, Words>> = {
  0x01: {
    en: 'set "protocolVersion" to the version of the broker',
    de: 'Stellen Sie „protocolVersion“ auf die Version des Brokers ein',
  },
  0x02: CLIENT_ID,
  0x04: CREDENTIALS,
  0x05: ACCESS,
  0x84: { en: 'set "protocolVersion" to 3.1.1', de: 'Stellen Sie „protocolVersion“ auf 3.1.1 ein' },
  0x85: CLIENT_ID,
  0x86: CREDENTIALS,
  0x87: ACCESS,
  0x8a: { en: 'allow this client at the broker', de: 'Erlauben Sie diesen Client am Broker' },
  0x8e: {
    en: 'another client has the same "clientId": give each its own',
    de: 'Ein anderer Client hat dieselbe „clientId“: Geben Sie jedem eine eigene',
  },
};

const BY_CODE: readonly (readonly [RegExp, Words])[] = [
  [
    /ALTNAME/,
    {
      en: 'set "serverName" to a name in the certificate of the broker',
      de: 'Setzen Sie „serverName“ auf einen Namen im Zertifikat des Brokers',
    },
  ],
  [
    /EXPIRED|NOT_YET_VALID/,
    {
      en: 'renew the certificate of the broker, or check the clock of this machine',
      de: 'Erneuern Sie das Zertifikat des Brokers, oder prüfen Sie die Uhr dieses Rechners',
    },
  ],
  [
    /SELF_SIGNED|UNABLE_TO|UNTRUSTED/,
    {
      en: 'set "certificateAuthorities" to the authority that issued the certificate of the broker',
      de: 'Setzen Sie „certificateAuthorities“ auf die Stelle, die das Zertifikat des Brokers ausgestellt hat',
    },
  ],
  [
    /ALERT|HANDSHAKE/,
    {
      en: 'set "certificate" and "key" to a client certificate that the broker accepts; its log names the reason',
      de: 'Setzen Sie „certificate“ und „key“ auf ein Client-Zertifikat, das der Broker annimmt; sein Log nennt den Grund',
    },
  ],
  [
    /ERR_SSL|EPROTO/,
    {
      en: 'use mqtt:// for a port without TLS, and mqtts:// for one with TLS',
      de: 'Verwenden Sie mqtt:// für einen Port ohne TLS und mqtts:// für einen mit TLS',
    },
  ],
  [
    /ENOTFOUND|EAI_/,
    {
      en: 'correct the host name, or the name servers of this machine',
      de: 'Berichtigen Sie den Hostnamen oder die Nameserver dieses Rechners',
    },
  ],
  [
    /ECONNREFUSED/,
    {
      en: 'correct host and port, and check that the broker runs',
      de: 'Berichtigen Sie Host und Port, und prüfen Sie, ob der Broker läuft',
    },
  ],
  [
    /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/,
    {
      en: 'check the network between this machine and the broker',
      de: 'Prüfen Sie das Netzwerk zwischen diesem Rechner und dem Broker',
    },
  ],
];

const SILENT = {
  en: 'check the network and firewalls, and that the port speaks MQTT (mqtts:// for TLS)',
  de: 'Prüfen Sie Netzwerk und Firewalls, und ob der Port MQTT spricht (mqtts:// bei TLS)',
};
const CLOSED = {
  en: 'check that the port speaks MQTT (mqtts:// for TLS); the log of the broker names the reason',
  de: 'Prüfen Sie, ob der Port MQTT spricht (mqtts:// bei TLS); das Log des Brokers nennt den Grund',
};

/** Returns what the operator can do about a connection that ended or was not made. */
export function remedyOf({ cause, isSilent }: Pick<LinkEnded, 'cause' | 'isSilent'>): Words {
  if (isSilent) return SILENT;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'number') return BY_REASON[code] ?? CLOSED;
  const [, remedy] = BY_CODE.find(([pattern]) => pattern.test(String(code))) ?? [];
  return remedy ?? CLOSED;
}
