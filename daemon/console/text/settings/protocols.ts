import { fill } from '../fill.ts';
import type { Text } from '../text.ts';

/** Protocols by driver type, and by driver type with transport. */
const PROTOCOLS: Readonly<Record<string, Text>> = {
  modbus: { en: 'Modbus', de: 'Modbus' },
  'modbus tcp': { en: 'Modbus TCP', de: 'Modbus TCP' },
  'modbus tcp-tls': { en: 'Modbus TCP over TLS', de: 'Modbus TCP über TLS' },
  'modbus udp': { en: 'Modbus UDP', de: 'Modbus UDP' },
  'modbus rtu-over-tcp': { en: 'Modbus RTU over TCP', de: 'Modbus RTU über TCP' },
  'modbus tcp-listen': {
    en: 'Modbus, the device connects (TCP)',
    de: 'Modbus, das Gerät verbindet sich (TCP)',
  },
  'modbus rtu': { en: 'Modbus RTU', de: 'Modbus RTU' },
  'modbus ascii': { en: 'Modbus ASCII', de: 'Modbus ASCII' },
  opcua: { en: 'OPC UA', de: 'OPC UA' },
  serial: { en: 'Serial', de: 'Seriell' },
};

/** Returns the name of a protocol; that of a bundle's driver is its type. */
export function nameOfProtocol(kind: string): string {
  const text = PROTOCOLS[kind];
  return text === undefined ? kind : fill(text);
}
