/**
 * Hashes that other programs made (argon2-cffi, passlib, Django, libxcrypt, OpenSSL by Python's hashlib), and published ones.
 */
export type ForeignHash = { maker: string; hash: string; password: string }

const password = 'Grünes Öl 5€'

export const foreignHashes: ForeignHash[] = [
  {
    maker: 'argon2-cffi argon2id',
    hash: '$argon2id$v=19$m=512,t=2,p=1$hxoDxPYnDJJLSyx8zsIyNw$Db1tTZuFLAATAjrfc4EPhobxJjRr6wOsXYwbjtMGTiw',
    password,
  },
  {
    maker: 'argon2-cffi argon2i',
    hash: '$argon2i$v=19$m=256,t=3,p=2$mSrqTjgAFx+Eln6F42jrIQ$s4kcVuxLoOigBulf3zN6KAEeVV7NLs0yWQ1CNX8qlSc',
    password,
  },
  {
    maker: 'argon2-cffi argon2id p8',
    hash: '$argon2id$v=19$m=1024,t=1,p=8$TnwNvqvGr+dZe+1A3EXM4Q$WDgg4vCmzwk0ZuEEbz2F5Q',
    password,
  },
  {
    maker: 'argon2 v16',
    hash: '$argon2i$v=16$m=256,t=2,p=1$c2FsdHNhbHQxMjM0NTY3OA$IFLxwEgHI+oY9SAwHJi8VhgLwrVmRPO9ds6DH6H+O2o',
    password,
  },
  {
    maker: 'passlib argon2',
    hash: '$argon2id$v=19$m=64,t=1,p=1$irFWqpUyJgQgRChFSOk95w$BA5c24sIhFvIceJ4zrpbxU/6Kd8MauJ/JWmJqBoPfuY',
    password,
  },
  {
    maker: 'passlib bcrypt 2a',
    hash: '$2a$04$7Pw4It.bqXAdB8YJiols4.NMWd1UbQYlNpB1Gmv2EBQbYiK5Qegai',
    password,
  },
  {
    maker: 'passlib bcrypt 2b',
    hash: '$2b$04$yq3FeG4kH7hoMQKULbQ/Kujc4kzQOLa2krU.yEhXw.Ik.NyMViZ1C',
    password,
  },
  {
    maker: 'passlib bcrypt 2y',
    hash: '$2y$04$eDs8An0Sg.ayB/ktxRP8Y.1ipHBk7Svy143WwwzPL.T0RLGrrEC..',
    password,
  },
  { maker: 'crypt bcrypt', hash: '$2b$04$abcdefghijklmnopqrstuusv157d2qemDPC2TqRF6YnOtjqDIkhye', password },
  {
    maker: 'passlib scrypt',
    hash: '$scrypt$ln=4,r=8,p=1$7J3zHuMcw/jf+1/LeU/JuQ$lJGnOkNTLDSdpbzNSfcHAs4bpEom/kaIQ2EH4hpYMM0',
    password,
  },
  {
    maker: 'passlib scrypt r4p3',
    hash: '$scrypt$ln=6,r=4,p=3$rdU6J4SQkrIW4rzX$AksulNqyRCZ6olRw/8rgBmmVSba78KO16MsY0+04Is4',
    password,
  },
  {
    maker: 'passlib pbkdf2_sha1',
    hash: '$pbkdf2$50$c67Vem/t/f9/TynFeK/1ng$uBvJBvLw7HuJVld/XDzUDaM57BY',
    password,
  },
  {
    maker: 'passlib pbkdf2_sha256',
    hash: '$pbkdf2-sha256$29$ZCzlfK.1lhIipBSiNGbsvQ$lCnnS5BLjbTdIK8Q0ADRuvtGkNWpeYWPJcrjd90qftY',
    password,
  },
  {
    maker: 'passlib pbkdf2_sha512',
    hash: '$pbkdf2-sha512$25$ZkzpPSckRKh1jnFOKQVAyHnPmXPufc95LwUghFBqzflfS0mJcW6N0RoDgNCaMyZEaO19z9n7X4vxvndOyRnDGA$BKHhnYRoqXHyz9E2g4.bbziNr6n5wyJDNAkqophBXInuY217ce0TgppE7G4SyLVfRql2mKLxGAZdkVqF2Jqz5A',
    password,
  },
  {
    maker: 'hashlib PHC sha1',
    hash: '$pbkdf2-sha1$i=40,l=32$+//7//v/+//7//v/+//7/w$nYwaj9IaRf0H03vC6qFWIj+6ERmSzwd9xbOP78afAMk',
    password,
  },
  {
    maker: 'hashlib PHC nolen sha1',
    hash: '$pbkdf2-sha1$i=40$+//7//v/+//7//v/+//7/w$nYwaj9IaRf0H03vC6qFWIj+6ERk',
    password,
  },
  {
    maker: 'hashlib PHC sha256',
    hash: '$pbkdf2-sha256$i=40,l=32$+//7//v/+//7//v/+//7/w$cAonhbTedkGD8Se8TIFS7uynDJSiHN00JmnrF0gT2vA',
    password,
  },
  {
    maker: 'hashlib PHC nolen sha256',
    hash: '$pbkdf2-sha256$i=40$+//7//v/+//7//v/+//7/w$cAonhbTedkGD8Se8TIFS7uynDJSiHN00JmnrF0gT2vA',
    password,
  },
  {
    maker: 'hashlib PHC sha512',
    hash: '$pbkdf2-sha512$i=40,l=32$+//7//v/+//7//v/+//7/w$iQ/PoihTvj4bJYomEHPMr1ammsDBqQt6YNscO4g9PA0',
    password,
  },
  {
    maker: 'hashlib PHC nolen sha512',
    hash: '$pbkdf2-sha512$i=40$+//7//v/+//7//v/+//7/w$iQ/PoihTvj4bJYomEHPMr1ammsDBqQt6YNscO4g9PA3bpW3Gm8r0NZO8lRvbR3Ov/svWTsLqs4mfEsajS+arCw',
    password,
  },
  {
    maker: 'django sha256',
    hash: 'pbkdf2_sha256$30$saltfordjango1234$BPSQ/SZs1iLML652sxCL4RKRLkOfCBlWizwfFsR9WaU=',
    password,
  },
  { maker: 'django sha1', hash: 'pbkdf2_sha1$30$saltfordjango1234$j6Oxe80niVMzOJnrvz7p8ZCGYg8=', password },
  {
    maker: 'RFC 7914, section 12',
    hash: '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
    password: 'pleaseletmein',
  },
  {
    maker: 'RFC 6070, section 2',
    hash: '$pbkdf2-sha1$i=4096,l=25$c2FsdFNBTFRzYWx0U0FMVHNhbHRTQUxUc2FsdFNBTFRzYWx0$PS7sT+QchJuAyNg2YsDkSospGpZM8vBwOA',
    password: 'passwordPASSWORDpassword',
  },
  {
    maker: 'documentation of passlib',
    hash: '$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk',
    password: 'toomanysecrets',
  },
  {
    maker: 'tests of crypt_blowfish',
    hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    password: 'U*U',
  },
]

/** A password of 80 bytes, of which bcrypt has read 72. */
export const longPassword = `${'p'.repeat(60)}${'q'.repeat(20)}`
export const longBcryptHashes = [
  '$2b$04$YM7RaO5IjX8GQFXcgx3YzOQKbI7JOzKr.ye2I.nR3o7UfTYRQ9X.O',
  '$2y$04$abcdefghijklmnopqrstuunTbthqMCXWVUA9RLyG5CjyN0KGy8oJW',
]

/** What no import accepts: Argon2d is open to side channels. */
export const argon2dHash =
  '$argon2d$v=19$m=256,t=2,p=1$c2FsdHNhbHQxMjM0NTY3OA$SUnTcik1p0+sMuKLcRPtxDqnvWfSX/o6azvGNq/UnCA'
