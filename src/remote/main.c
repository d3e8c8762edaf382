/* lsr-remote - the program; see protocol.h */
int main(void)
{
        return 2;
}
