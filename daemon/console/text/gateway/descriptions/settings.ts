/** Descriptions of settings of the gateway in German, by the sentence of the schema. */
export const GERMAN_SETTINGS: Readonly<Record<string, string>> = {
  'Ports that accept REST requests, others respond with 404; empty: all':
    'Ports, die REST-Anfragen annehmen, andere antworten mit 404; leer: alle',
  'Built-in password authentication': 'Eingebaute Anmeldung mit Passwort',
  'Built-in certificate authentication': 'Eingebaute Anmeldung mit Zertifikat',
  'Session endpoints and cookie sessions': 'Endpunkte für Sitzungen und Sitzungen mit Cookie',
  'Seconds without a request after which a session expires':
    'Sekunden ohne Anfrage, nach denen eine Sitzung abläuft',
  'BASIC credentials on resource requests; requires passwordAuthenticationEnabled':
    'Anmeldedaten nach BASIC in einzelnen Anfragen; erfordert passwordAuthenticationEnabled',
  'Client certificates on resource requests, without a session; requires certificateAuthenticationEnabled':
    'Client-Zertifikate in einzelnen Anfragen, ohne Sitzung; erfordert certificateAuthenticationEnabled',
  'Token endpoints (404 if disabled) and bearer tokens (rejected if disabled)':
    'Endpunkte für Token (sonst 404) und Bearer-Token (sonst abgelehnt)',
  'pid of the issuing service; empty: the first one': 'pid des ausstellenden Dienstes; leer: der erste',
  'pid of the verification service; empty: the first one': 'pid des prüfenden Dienstes; leer: der erste',
  'Lifetime of access tokens; capped by the maximum of the issuing service':
    'Gültigkeitsdauer von Zugriffstoken; begrenzt durch das Maximum des ausstellenden Dienstes',
  'Lifetime of refresh tokens; capped by the maximum of the issuing service':
    'Gültigkeitsdauer von Refresh-Token; begrenzt durch das Maximum des ausstellenden Dienstes',
  'Seconds for which used refresh tokens are stored after their expiry; at least the clock skew':
    'Sekunden, für die benutzte Refresh-Token nach ihrem Ablauf gespeichert bleiben; mindestens die Uhrabweichung',
  'Stores used refresh tokens on disk, so that a restart does not make them valid again':
    'Speichert benutzte Refresh-Token auf dem Datenträger, damit ein Neustart sie nicht wieder gültig macht',
  'Additional members in records of assets and identities, besides those of Kura; false for strict clients':
    'Weitere Angaben zu Assets und Identitäten, zusätzlich zu denen von Kura; false für strenge Clients',
  'Shown by authenticationInfo': 'Wird von authenticationInfo angezeigt',
  'Shows the text': 'Zeigt den Text an',
  'Text to show': 'Text, der angezeigt wird',
  'Shown in the response to a login': 'Wird in der Antwort auf eine Anmeldung angezeigt',
  'Minimum number of characters': 'Mindestzahl der Zeichen',
  'Requires a digit': 'Verlangt eine Ziffer',
  'Requires a character that is neither letter nor digit':
    'Verlangt ein Zeichen, das weder Buchstabe noch Ziffer ist',
  'Requires an upper-case and a lower-case letter': 'Verlangt einen Groß- und einen Kleinbuchstaben',
  'Name of the service: letters, digits and . _ -, beginning with a letter or digit':
    'Name des Dienstes: Buchstaben, Ziffern und . _ -, mit Buchstabe oder Ziffer am Anfang',
  'Claim iss of the tokens': 'Claim iss der Token',
  'Maximum lifetime of a token, whatever is requested':
    'Höchste Gültigkeitsdauer eines Tokens, auch wenn mehr verlangt wird',
  'ES256 (P-256), ES384 (P-384), RS256 or PS256 (RSA from 2048 bits), EdDSA (Ed25519); must match the key':
    'ES256 (P-256), ES384 (P-384), RS256 oder PS256 (RSA ab 2048 Bit), EdDSA (Ed25519); muss zum Schlüssel passen',
  'Signing key, PEM without passphrase, mode 0600 or 0400; requires certificateFile; null: generated at first use':
    'Signaturschlüssel, PEM ohne Passphrase, Dateirechte 0600 oder 0400; erfordert certificateFile; null: bei der ersten Nutzung erzeugt',
  'Certificate of the signing key, PEM; the first one in the file is used':
    'Zertifikat des Signaturschlüssels, PEM; das erste in der Datei gilt',
  'Accepted signers: an issuing service, or the certificates in a file or text':
    'Akzeptierte Unterzeichner: ein ausstellender Dienst oder die Zertifikate in einer Datei oder einem Text',
  'Accepted values of the claim iss; empty: any': 'Akzeptierte Werte des Claims iss; leer: alle',
  'Maximum difference between the clocks of issuer and gateway':
    'Höchste Abweichung zwischen den Uhren von Aussteller und Gateway',
  'Accepts certificates only within their validity period':
    'Akzeptiert Zertifikate nur in ihrer Gültigkeitsdauer',
  'Maximum size of journal and history together; the oldest samples go first':
    'Höchste Größe von Journal und Verlauf zusammen; die ältesten Messwerte entfallen zuerst',
  'Days after which samples are deleted': 'Tage, nach denen Messwerte gelöscht werden',
  'Free space of the disk below which recording stops':
    'Freier Platz auf dem Datenträger, unter dem die Aufzeichnung anhält',
  'Persistent identifier': 'Eindeutiger Name',
  'Milliseconds between two samples of a channel; excludes onChange':
    'Millisekunden zwischen zwei Messwerten eines Kanals; schließt onChange aus',
  'Records a sample for each change of a channel':
    'Zeichnet bei jeder Änderung eines Kanals einen Messwert auf',
  'With onChange: maximum change of a number that is not recorded, in the unit of the channel':
    'Mit onChange: größte Änderung einer Zahl, die nicht aufgezeichnet wird, in der Einheit des Kanals',
  'With onChange: minimum time between two samples of a channel; default: 1000':
    'Mit onChange: kürzeste Zeit zwischen zwei Messwerten eines Kanals; Standard: 1000',
  'What is recorded': 'Was aufgezeichnet wird',
  'Pid of the asset': 'pid des Assets',
  'Names of the channels; absent: every enabled, readable one':
    'Namen der Kanäle; ohne Angabe: alle aktiven, lesbaren',
  'Symbolic name of the bundle': 'Symbolischer Name des Bundles',
  'As the package of the bundle describes them': 'Wie im Paket des Bundles beschrieben',
  'In provision files only: created if missing, never changed afterwards':
    'Nur in Bereitstellungsdateien: wird angelegt, falls nicht vorhanden, und danach nie geändert',
  'Unique name of 3 to 255 visible characters, without white space at its ends; compared exactly':
    'Eindeutiger Name aus 3 bis 255 sichtbaren Zeichen, ohne Leerraum an den Enden; wird genau verglichen',
  'Permissions, such as rest.assets; rest.admin implies all others':
    'Berechtigungen, wie rest.assets; rest.admin schließt alle anderen ein',
  'Rights on single assets and channels, in addition to the permissions':
    'Freigaben für einzelne Assets und Kanäle, zusätzlich zu den Berechtigungen',
  'Asset pid patterns; * matches any run of characters':
    'Muster für pid von Assets; * steht für beliebige Zeichen',
  'Channel name patterns; absent: every channel': 'Muster für Kanalnamen; ohne Angabe: alle Kanäle',
  'Permitted operations': 'Erlaubte Vorgänge',
  'Expiry of the grant; absent: no expiry': 'Ablauf der Freigabe; ohne Angabe: kein Ablauf',
  'Reason for the grant, for example a permit number':
    'Grund der Freigabe, zum Beispiel die Nummer eines Arbeitserlaubnisscheins',
  'Password; absent or null: certificate authentication only':
    'Passwort; ohne Angabe oder null: Anmeldung nur mit Zertifikat',
  'The password must be changed at the first login by password':
    'Das Passwort muss bei der ersten Anmeldung mit Passwort geändert werden',
  'A second factor must be set up before the password grants access':
    'Ein zweiter Faktor muss eingerichtet sein, bevor das Passwort Zugriff gibt',
};
