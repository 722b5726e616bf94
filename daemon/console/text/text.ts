/** Languages of the console; every text has all languages. */
export type Language = 'en' | 'de';

/** Text in every language, with `{name}` placeholders. */
export type Text = Readonly<Record<Language, string>>;
