/* account - where credentials, region and endpoint of an object store come from */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "remote/account.h"
#include "remote/profile.h"

static char dir[64];

static void account_init(void)
{
        clearenv();
        strcpy(dir, "/tmp/lsr-account-XXXXXX");
        cr_assert(mkdtemp(dir));
        setenv("HOME", dir, 1);
}

static void account_fini(void)
{
        char command[128];

        snprintf(command, sizeof(command), "/bin/rm -rf %s", dir);
        cr_assert_eq(system(command), 0);
}

TestSuite(account, .init = account_init, .fini = account_fini);

static void account_file(const char *variable, const char *name, const char *text)
{
        char path[128];
        FILE *f;

        snprintf(path, sizeof(path), "%s/%s", dir, name);
        f = fopen(path, "w");
        cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
        setenv(variable, path, 1);
}

/* A metadata service: the answers to the requests that are expected, one after the other. */
struct account_service {
        const char *expected[4]; /* method, URL, headers */
        const char *answers[4];  /* NULL: it does not answer */
        unsigned n;
};

static int account_fetch(void *ctx, const char *method, const char *url, const char *headers, char **ret_body)
{
        struct account_service *s = ctx;
        char request[512];

        snprintf(request, sizeof(request), "%s %s %s", method, url, headers);
        cr_assert(s && s->n < 4 && s->expected[s->n], "not expected: %s", request);
        cr_expect_str_eq(request, s->expected[s->n]);
        if (!s->answers[s->n++])
                return -ETIMEDOUT;
        *ret_body = strdup(s->answers[s->n - 1]);
        return 0;
}

static void account_check(struct account_service *service, const char *expected)
{
        struct lsr_account a;
        char found[512];
        int r = lsr_account_read(&a, account_fetch, service);

        snprintf(found, sizeof(found), "%s %s %s %s %s", a.key_id ? a.key_id : "-", a.secret ? a.secret : "-",
                 a.token ? a.token : "-", a.region ? a.region : "-", a.endpoint ? a.endpoint : "-");
        cr_expect_str_eq(r < 0 ? a.text : found, expected);
        lsr_account_end(&a);
}

static void account_no_instance(void)
{
        setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
}

Test(account, nothing)
{
        account_no_instance();
        account_check(NULL, "- - - us-east-1 -");
}

Test(account, environment)
{
        setenv("AWS_ACCESS_KEY_ID", "K", 1);
        setenv("AWS_SECRET_ACCESS_KEY", "S", 1);
        setenv("AWS_DEFAULT_REGION", "eu-west-1", 1);
        setenv("AWS_ENDPOINT_URL", "http://h:1", 1);
        account_check(NULL, "K S - eu-west-1 http://h:1");
        setenv("AWS_SESSION_TOKEN", "T", 1);
        setenv("AWS_REGION", "eu-north-1", 1);
        setenv("AWS_ENDPOINT_URL_S3", "http://h:2", 1);
        account_check(NULL, "K S T eu-north-1 http://h:2");
        setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true", 1);
        account_check(NULL, "K S T eu-north-1 -");
}

Test(account, profiles)
{
        account_no_instance();
        account_file("AWS_SHARED_CREDENTIALS_FILE", "credentials",
                     "# comment\n[default]\naws_access_key_id = DK\naws_secret_access_key=DS # mine\n"
                     "[work]\naws_access_key_id=WK\naws_secret_access_key=W/S+#=\naws_session_token = WT\n");
        account_file("AWS_CONFIG_FILE", "config",
                     "[default]\nregion = r-1\n[profile  work]\ns3 =\n  region = nested\nregion=r-2\r\n"
                     "endpoint_url = https://store/\n[profile sso]\nsso_session = s\n[services x]\n");
        account_check(NULL, "DK DS - r-1 -");
        setenv("AWS_PROFILE", "work", 1);
        account_check(NULL, "WK W/S+#= WT r-2 https://store/");
        setenv("AWS_PROFILE", "sso", 1);
        account_check(NULL, "the profile 'sso' has sso_session, which is not supported; run: eval \"$(aws configure "
                            "export-credentials --profile sso --format env)\"");
        setenv("AWS_PROFILE", "none", 1);
        account_check(NULL, "there is no profile 'none', which AWS_PROFILE names");
        setenv("AWS_ACCESS_KEY_ID", "K", 1);
        setenv("AWS_SECRET_ACCESS_KEY", "S", 1);
        account_check(NULL, "K S - us-east-1 -");
}

/* What a profile has without a key is not kept, whether others have credentials or not. */
Test(account, half_a_profile)
{
        struct account_service s = {
                { "GET http://169.254.170.2/v2/x " },
                { "{\"AccessKeyId\":\"CK\",\"SecretAccessKey\":\"CS\"}" },
        };

        account_no_instance();
        account_file("AWS_SHARED_CREDENTIALS_FILE", "credentials",
                     "[default]\naws_secret_access_key=DS\naws_session_token=DT\n");
        account_check(NULL, "- - - us-east-1 -");
        setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x", 1);
        account_check(&s, "CK CS - us-east-1 -");
}

Test(account, container)
{
        struct account_service s = {
                { "GET http://169.254.170.2/v2/x Authorization: tok\n" },
                { "{\"AccessKeyId\":\"CK\",\"SecretAccessKey\" : \"C\\/S\\u002b\",\"Token\":\"CT\","
                  "\"Expiration\":\"2026-01-02T03:04:05Z\"}" },
        };
        struct lsr_account a;

        setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x", 1);
        setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "tok", 1);
        account_check(&s, "CK C/S+ CT us-east-1 -");
        s.n = 0;
        cr_assert_eq(lsr_account_read(&a, account_fetch, &s), 0);
        cr_expect_eq(a.expires, 1767323045);
        lsr_account_end(&a);
}

Test(account, container_elsewhere)
{
        setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://evil/x", 1);
        account_check(NULL, "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor of this machine");
        setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1.evil/x", 1);
        account_check(NULL, "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor of this machine");
        setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/x", 1);
        account_file("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "token", "from file\nmore\n");
        account_check(&(struct account_service){ { "GET http://127.0.0.1:9/x Authorization: from file\n" }, { NULL } },
                      "the container's credentials cannot be had: Connection timed out");
        /* A file without a line has no token. */
        account_file("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "token", "");
        account_check(&(struct account_service){ { "GET http://127.0.0.1:9/x " }, { NULL } },
                      "the container's credentials cannot be had: Connection timed out");
}

Test(account, instance)
{
        struct account_service s = {
                { "PUT http://169.254.169.254/latest/api/token X-aws-ec2-metadata-token-ttl-seconds: 21600\n",
                  "GET http://169.254.169.254/latest/meta-data/iam/security-credentials/ X-aws-ec2-metadata-token: tok\n",
                  "GET http://169.254.169.254/latest/meta-data/iam/security-credentials/role "
                  "X-aws-ec2-metadata-token: tok\n" },
                { "tok", "role\n", "{\"AccessKeyId\":\"IK\",\"SecretAccessKey\":\"IS\"}" },
        };

        account_check(&s, "IK IS - us-east-1 -");
        account_check(&(struct account_service){ { s.expected[0] }, { NULL } }, "- - - us-east-1 -");
        account_check(&(struct account_service){ { s.expected[0], s.expected[1] }, { "tok", NULL } },
                      "- - - us-east-1 -");
        account_check(
                &(struct account_service){ { s.expected[0], s.expected[1], s.expected[2] }, { "tok", "role", "{}" } },
                "the metadata service answers without credentials");
}

Test(account, bad)
{
        account_no_instance();
        setenv("AWS_ENDPOINT_URL", "ftp://x", 1);
        account_check(NULL, "the endpoint of the store is not a URL of http or https");
        setenv("AWS_REGION", "eu\nX: y", 1);
        account_check(NULL, "the region has other characters than letters, digits and '-'");
}

static void account_url_check(const char *region, const char *endpoint, const char *bucket, const char *key,
                              const char *expected)
{
        struct lsr_account a = { .region = (char *)(uintptr_t)region, .endpoint = (char *)(uintptr_t)endpoint };
        lsr_autofree char *url = lsr_account_url(&a, bucket, key);

        cr_expect_str_eq(url, expected);
}

Test(account, urls)
{
        account_url_check("eu-west-1", NULL, "b", "a b+%é/../c",
                          "https://b.s3.eu-west-1.amazonaws.com/a%20b%2B%25%C3%A9/../c");
        account_url_check("us-east-1", NULL, "b.c", "k", "https://s3.us-east-1.amazonaws.com/b.c/k");
        account_url_check("cn-north-1", NULL, "b", "k", "https://b.s3.cn-north-1.amazonaws.com.cn/k");
        account_url_check("us-east-1", "http://127.0.0.1:7070/", "b", "/k?", "http://127.0.0.1:7070/b//k%3F");
}
