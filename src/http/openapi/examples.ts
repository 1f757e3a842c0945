// Values in examples that a server generates: from a server whose database no longer exists.

export const exampleClient = {
  client_id: 'test_LkX0BUi4F7lODD4R4rcX7x',
  client_secret: 'lk_test_cs_JD722LMFCG2qz4UphfUKimf326SAXl5bdEh4ZBQdFax2L2LmJ',
}

export const exampleTokens = {
  code: 'lk_test_ac_FVTrBprV6RGqGoVZl3SjX2iIv1WfSCgpK7jgJgnHCNq02uVvU',
  access: 'lk_test_at_1ifP3f7fay4EJ9ge4BtKFX2aN7Jp3eXdZA2ckRI51xUzK115FGAA3FB5Qv4QYmDd2MYs3J1NfYSS',
  refresh: 'lk_test_rt_1ifP0slrPN0wSrZ63aI5R84YBMZb0000000000011xfqhN2HrzF92KuMxF0HGcq949styP1Exch5',
}

/** The `sub` of a user. */
export const exampleSubject = 'S2kQwqw3oxXrkvu4D0BUNV'

/** Cursors of syncs after their first two entries. */
export const exampleCursors = {
  households:
    'eyJmaWx0ZXJzIjp7Im5hbWVfY29udGFpbnMiOiJmYW1pbHkgdHJ1c3QifSwiYWZ0ZXIiOiJoaC0wMjg3IiwiYXNfb2YiOiIyMDI2LTExLTIyVDAzOjM2OjU5Ljc1NzAwMFoiLCJjb3VudCI6MiwicmVtb3ZlZCI6MCwiZGlnZXN0IjoianRhVm8yaG9MVEF5TmprS2FHZ3RNREk0TndvQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQVFBQUFBQUFBQUFHZm1DV3FGcm1lN2N2TnVQRHIxVDZWX1VnNVJqR2dGbTZ2Wmd4OFp6ZUJiSUFBQUFBQUFBQUEifQ.-Pc-IX47_xY-R-GDxddntw',
  accounts:
    'eyJmaWx0ZXJzIjp7Im5hbWVfY29udGFpbnMiOiJmYW1pbHkgdHJ1c3QifSwiYWZ0ZXIiOiJoaC0wMjg3IiwiYXNfb2YiOiIyMDI2LTExLTIyVDAzOjM2OjU5Ljc1NzAwMFoiLCJjb3VudCI6MiwicmVtb3ZlZCI6MCwiZGlnZXN0IjoianRhVm8yaG9MVEF5TmprS2FHZ3RNREk0TndvQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQVFBQUFBQUFBQUFHZm1DV3FGcm1lN2N2TnVQRHIxVDZWX1VnNVJqR2dGbTZ2Wmd4OFp6ZUJiSUFBQUFBQUFBQUEifQ.-Pc-IX47_xY-R-GDxddntw',
}
