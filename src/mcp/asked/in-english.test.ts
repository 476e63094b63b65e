import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inEnglish } from './in-english.ts'

test('AN-42 questions in German, Spanish and French are read as the English ones that ask the same', () => {
  for (const [query, read] of [
    [
      'Wie viele Mails hat mir Anna Weiß im Mai 2023 geschickt?',
      'how many mails did Anna Weiß write in Mai 2023',
    ],
    ['Wie viele Mails habe ich an Juri geschrieben?', 'how many mails did I write to Juri'],
    ['wieviele Kontakte habe ich', 'how many contacts do I have'],
    ['Was gibt es Neues?', 'what is new'],
    ['die letzten 5 Mails von Jana', 'last 5 mails from Jana'],
    ['Wie oft wurde der Reiher erwähnt?', 'how often was der Reiher mentioned'],
    ['Wer hat mir die meisten Mails geschrieben?', 'who wrote the most mails'],
    ['letzte Mail von Jana Kruse', 'last mails from Jana Kruse'],
    ['Wann hat mir Jana zuletzt über das Dach geschrieben?', 'when did Jana last write about das Dach'],
    ['Was hat Jana letzte Woche gesagt?', 'what did Jana write letzte Woche'],
    ['Was habe ich Jana geschrieben?', 'what did I write to Jana'],
    ['Wann ist mein nächster Termin mit Zoë?', 'next meetings with Zoë'],
    ['¿Cuántos correos escribió Ana en mayo de 2023?', 'how many mails did Ana write in mayo de 2023'],
    ['cuantos mensajes hay de Ana', 'how many messages are there from Ana'],
    ['¿Quién me escribió más correos?', 'who wrote the most mails'],
    ['el último mensaje de Ana López sobre el viaje', 'last messages from Ana López about el viaje'],
    ['¿Cuándo escribió Ana por última vez?', 'when did Ana last write'],
    ['¿Qué dijo Ana la semana pasada?', 'what did Ana write semana pasada'],
    ['¿Qué le escribí a Ana?', 'what did I write to Ana'],
    ['¿Qué reuniones tengo la próxima semana?', 'which meetings do I have próxima semana'],
    ['Combien de mails Ana a-t-elle écrits ?', 'how many mails did Ana write'],
    ['Combien de messages a envoyés Ana en mai 2023 ?', 'how many messages did Ana write in mai 2023'],
    ['Qui a écrit le plus de mails ?', 'who wrote the most mails'],
    ['dernier mail d’Ana', 'last mails from Ana'],
    ['Quand est-ce qu’Ana m’a écrit pour la dernière fois ?', 'when did Ana last write'],
    ['Qu’est-ce qu’Ana a dit sur le voyage ?', 'what did Ana write about le voyage'],
    ['les mails de Jeff en mai 2023', 'mails from Jeff in mai 2023'],
    ['prochain rendez-vous avec Zoë', 'next meetings with Zoë'],
  ] as const)
    assert.equal(inEnglish(query), read, query)
  for (const query of [
    'messages from Ana',
    'mails with a PDF',
    'what did Ana say',
    'letzte Hoffnung',
    'el correo',
    'Wie viele Planeten gibt es?',
  ])
    assert.equal(inEnglish(query), query)
})
