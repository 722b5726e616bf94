/** Address of a broker. */
export interface BrokerAddress {
  /** As shown in status and log. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** Default ports by scheme. */
const PORTS: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883 };

/**
 * Parses an address such as `mqtts://broker.example` or `mqtt://192.0.2.9:1884`.
 *
 * @throws {TypeError} for another scheme, a missing host, credentials, a path or a query
 */
export function parseBrokerAddress(text: string): BrokerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const port = PORTS[url?.protocol ?? ''];
  if (url === undefined || port === undefined || url.hostname === '') {
    throw new TypeError(`"${text}" is no broker; expected mqtt://HOST:PORT or mqtts://HOST:PORT`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`the broker ${url.host} has credentials in its address; use "user" and "password"`);
  }
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw new TypeError(`"${text}" has more than host and port`);
  }
  return {
    url: `${url.protocol}//${url.host}`,
    // An IPv6 address is in brackets.
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: url.port === '' ? port : Number(url.port),
    isSecure: url.protocol === 'mqtts:',
  };
}
