import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { ActiveCertificate, listCertificates } from '../../../interface/status.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { RangeBar } from '../../parts/range-bar.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { ACCESS, REFUSED_AUTHORITIES } from '../../text/access.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { formatCount, formatDay } from '../../text/format.ts';

const DAY_MS = 86_400_000;
// Same threshold as the gateway's warning.
const LEAST_DAYS = 30;

/** Server certificates and trusted CAs with their remaining lifetime. */
export function Certificates(): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource('certificates', (abort) =>
    rest.call<typeof listCertificates>('GET', '/services/status/v1/certificates', { abort }),
  );
  const count = value?.revocationLists ?? 0;
  return (
    <section aria-labelledby="certificates">
      <h2 id="certificates">{fill(ACCESS.certificates)}</h2>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : (
        <>
          {value.certificates.length === 0 ? <p class="soft">{fill(ACCESS.noCertificates)}</p> : undefined}
          <ul>
            {value.certificates.map((certificate) => (
              <CertificateRow
                key={`${certificate.role} ${certificate.fingerprint}`}
                certificate={certificate}
                nowMs={rest.gatewayNowMs()}
              />
            ))}
          </ul>
          <p class="soft">
            {count === 0
              ? fill(ACCESS.noRevocation)
              : fill(ACCESS.revocationLists, { count: formatCount(count) })}
          </p>
        </>
      )}
    </section>
  );
}

function CertificateRow({
  certificate,
  nowMs,
}: Readonly<{ certificate: ActiveCertificate; nowMs: number }>): JSX.Element {
  const { role, subject, fingerprint, validFrom, validUntil, refusal } = certificate;
  const days = Math.floor((validUntil - nowMs) / DAY_MS);
  const day = formatDay(validUntil, nowMs);
  const words =
    validUntil < nowMs
      ? fill(ACCESS.expired, { day })
      : fill(ACCESS.expires, { days: formatCount(days), day });
  const tone = validUntil < nowMs ? 'fault' : days < LEAST_DAYS ? 'attention' : 'none';
  return (
    <li class="certificate">
      <div>
        <strong>{subject}</strong>{' '}
        <span class="soft">{fill(role === 'SERVER' ? ACCESS.served : ACCESS.trusted)}</span>
      </div>
      <div class="tools">
        <span class={`state ${tone}`}>{words}</span>
        <RangeBar
          label={fill(ACCESS.life)}
          words={words}
          minimum={validFrom}
          maximum={validUntil}
          value={nowMs}
          tone={tone}
          from={<span class="values">{formatDay(validFrom, nowMs)}</span>}
          to={<span class="values">{day}</span>}
        />
      </div>
      <div class="code faint">{fingerprint}</div>
      {refusal === undefined ? undefined : (
        <Notice level="attention">{fill(ACCESS.refusal, { why: nameRefusal(refusal) })}</Notice>
      )}
    </li>
  );
}

function nameRefusal(code: string): string {
  const text = REFUSED_AUTHORITIES[code];
  return text === undefined ? code : fill(text);
}
